from bot.assistant.instructions import MEMORY_GUIDANCE, MESSAGE_GUIDANCE, Persona, system_prompt
from bot.assistant.toolbox import toolbox


def test_the_system_prompt_has_the_operator_s_sections_and_the_fixed_guidance() -> None:
    made = system_prompt(Persona("I am.", "Warm.", " ", "Help.\n", "Be short."))
    heads = [line for line in made.splitlines() if line.startswith("# ")]
    own = ["# IDENTITY", "# PERSONALITY", "# GOALS", "# GUIDELINES"]
    assert heads == [*own, "# MESSAGES", "# MEMORY"]
    assert made.endswith(f"{MESSAGE_GUIDANCE}\n\n{MEMORY_GUIDANCE}")
    assert system_prompt(Persona(), remembers=False) == MESSAGE_GUIDANCE


def test_the_model_is_told_that_links_stay_closed() -> None:
    assert "can't open links" in system_prompt(Persona(identity="I am."), remembers=False)


def test_the_guidance_names_every_tool() -> None:
    assert [t.name for t in toolbox() if t.name not in MEMORY_GUIDANCE] == []


def test_without_a_memory_the_model_is_told_of_no_memory_tools():
    assert "search_memory" in system_prompt(Persona(identity="I am."))
    assert "search_memory" not in system_prompt(Persona(identity="I am."), remembers=False)
