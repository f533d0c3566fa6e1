from bot.assistant.instructions import MEMORY_GUIDANCE, Persona, system_prompt
from bot.assistant.toolbox import toolbox


def test_the_system_prompt_has_the_operator_s_sections_and_the_fixed_guidance() -> None:
    made = system_prompt(Persona("I am.", "Warm.", " ", "Help.\n", "Be short."))
    heads = [line for line in made.splitlines() if line.startswith("# ")]
    assert heads == ["# IDENTITY", "# PERSONALITY", "# GOALS", "# GUIDELINES", "# MEMORY"]
    assert made.endswith(MEMORY_GUIDANCE)
    assert system_prompt(Persona()) == MEMORY_GUIDANCE


def test_the_guidance_names_every_tool() -> None:
    assert [t.name for t in toolbox() if t.name not in MEMORY_GUIDANCE] == []


def test_without_a_memory_the_model_is_told_of_no_memory_tools():
    assert "search_memory" in system_prompt(Persona(identity="I am."))
    assert "search_memory" not in system_prompt(Persona(identity="I am."), remembers=False)
