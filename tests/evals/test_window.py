"""`python -m tests.evals.window`: the talk it plays, the figures it gives, and the goals."""

import json
from pathlib import Path

import pytest
from pydantic_ai import (
    CachePoint,
    ModelMessage,
    ModelRequest,
    ModelResponse,
    TextPart,
    ToolDefinition,
)
from pydantic_ai.messages import ToolCallPart, ToolReturnPart, UserPromptPart

from bot.options import memory_options
from bot.settings import Settings
from memory.conversation.tokens import estimate_tokens
from tests.evals.costs import Cost, Costs, costs_of
from tests.evals.play import PlayedTurn, play
from tests.evals.requests import (
    Naive,
    Piece,
    Request,
    cacheable,
    last_point,
    request_of,
    tokens_in,
)
from tests.evals.talk import Exchange, made_up, real
from tests.evals.window import (
    ADAPTIVE,
    FULL,
    OURS,
    PASTED,
    SLIDING,
    WINDOW,
    Report,
    evaluate,
)

SETTINGS = Settings()

# -- requests and what a cache could serve of them ----------------------------------------------


def piece(text: str, point: bool = False) -> Piece:
    return Piece("user", text, point)


def test_a_request_is_its_tools_its_system_prompt_and_its_messages() -> None:
    tool = ToolDefinition(name="remember", description="Keep it.")
    call = ToolCallPart("remember", '{"text": "tea"}', tool_call_id="1")
    messages: list[ModelMessage] = [
        ModelRequest([UserPromptPart(["earlier", CachePoint(), "now"])]),
        ModelResponse([TextPart("well"), call]),
        ModelRequest([ToolReturnPart("remember", "done", tool_call_id="1")]),
    ]
    tools, *others = request_of(messages, "be kind", [tool])
    assert tools.point
    assert json.loads(tools.text)[0]["name"] == "remember"
    assert others == [
        Piece("system", "be kind", point=True),
        Piece("user", "earlier", point=True),
        Piece("user", "now"),
        Piece("assistant", "well"),
        Piece("assistant", 'remember {"text":"tea"}'),
        Piece("user", "done"),
    ]


def test_a_cache_serves_what_is_the_same_up_to_a_point_of_the_request_before() -> None:
    before = (piece("one", point=True), piece("two", point=True), piece("three"), piece("four"))
    same = estimate_tokens("one") + estimate_tokens("two")
    assert cacheable((*before[:3], piece("other")), before) == same
    assert cacheable((piece("one"), piece("other")), before) == estimate_tokens("one")
    assert cacheable((piece("other"), *before[1:]), before) == 0
    assert cacheable((Piece("assistant", "one"),), before) == 0
    assert cacheable(before, ()) == 0
    assert last_point(before) == same
    assert last_point(before[2:]) == 0


def test_costs_add_up_over_the_requests_of_a_turn() -> None:
    first = (piece("a fairly long beginning", point=True), piece("one"))
    second = (*first, piece("more"))
    costs = costs_of([[first, second], [second]], [[], [first]])
    beginning = first[0].tokens
    assert costs.turns == (
        Cost(tokens_in(first) + tokens_in(second), beginning, beginning, calls=2),
        Cost(tokens_in(second), beginning, beginning, 1, tokens_in(first), 1),
    )
    assert costs.input == tokens_in(first) + 2 * tokens_in(second)
    assert costs.uncached == costs.input - 2 * beginning
    assert costs.cacheable_share == pytest.approx(2 * beginning / costs.input)
    assert (costs.calls, costs.background_calls) == (3, 1)


def test_a_turn_is_stable_if_nothing_before_the_last_point_has_changed() -> None:
    one: Request = (piece("same", point=True), piece("window", point=True), piece("words"))
    other = (piece("same", point=True), piece("another window", point=True), piece("words"))
    assert costs_of([[one], [one], [other], [other], [other]]).stable_share == 3 / 4


def test_simpler_bots_ask_what_they_are_said_to_ask() -> None:
    fixed = (Piece("tools", "[]"), Piece("system", "be kind"))
    said = tuple(Piece("user" if n % 2 == 0 else "assistant", f"message {n}") for n in range(6))
    naive = Naive(fixed, said, (piece("now"),), "what is remembered", last=2)

    def texts(request: Request) -> list[str]:
        assert all(each.point for each in request)
        return [each.text for each in request]

    assert texts(naive.full_history()) == ["[]", "be kind", *(p.text for p in said), "now"]
    assert texts(naive.sliding()) == ["[]", "be kind", "message 4", "message 5", "now"]
    tools, system, *others = texts(naive.pasted())
    assert (tools, others) == ("[]", ["message 4", "message 5", "now"])
    assert system.startswith("be kind\n\nwhat is remembered\n\n")
    assert system.endswith("User: message 4\nAssistant: message 5")


# -- the talks ------------------------------------------------------------------------------------


def test_the_made_up_talk_is_always_the_same_and_goes_on_where_a_shorter_one_ends() -> None:
    assert made_up(200) == made_up(200)
    assert made_up(200)[:50] == made_up(50)


def test_the_made_up_talk_has_long_replies_subjects_that_come_back_and_several_scripts() -> None:
    talk = made_up(200)
    assert all(700 <= estimate_tokens(exchange.reply) < 800 for exchange in talk)
    for thing in ("tomatoes", "Тбилиси", "龙井"):
        turns = [n for n, exchange in enumerate(talk) if thing in exchange.said + exchange.reply]
        assert turns[0] < 50 < 150 < turns[-1]
    assert [exchange.keeps is not None for exchange in talk].count(True) == 6


def conversation(*messages: tuple[str, str]) -> str:
    turns = [
        {"id": str(n), "session": 1, "speaker": role, "role": role, "text": text,
         "time": f"2026-01-01T10:00:{n:02}"}
        for n, (role, text) in enumerate(messages)
    ]  # fmt: skip
    return json.dumps({"id": "c", "turns": turns, "questions": []})


def test_a_real_talk_is_the_longest_of_its_file_and_then_the_next(tmp_path: Path) -> None:
    file = tmp_path / "talks.jsonl"
    short = conversation(("user", "hello"), ("assistant", "hi"))
    long = conversation(
        ("assistant", "nobody asked"),
        ("user", "one"),
        ("user", "and two"),
        ("assistant", "first"),
        ("assistant", "second"),
        ("user", "three"),
        ("assistant", "third"),
        ("user", "not answered"),
    )
    file.write_text(f"{short}\n{long}\n", encoding="utf-8")
    talk = [Exchange("one\nand two", "first\n\nsecond"), Exchange("three", "third")]
    assert real(file, 10) == [*talk, Exchange("hello", "hi")]
    assert real(file, 2) == talk


def test_a_file_in_which_nobody_is_answered_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "alone.jsonl"
    file.write_text(conversation(("user", "hello?")), encoding="utf-8")
    with pytest.raises(ValueError, match="nobody is answered"):
        real(file, 10)


# -- playing --------------------------------------------------------------------------------------


async def played(turns: int) -> list[PlayedTurn]:
    return await play(made_up(turns), SETTINGS, memory_options(SETTINGS))


async def test_a_played_turn_holds_the_requests_exactly_as_the_model_got_them() -> None:
    talk, turns = made_up(4), await played(4)
    assert [len(turn.requests) for turn in turns] == [2, 1, 1, 1]  # the first keeps something
    for number, (exchange, turn) in enumerate(zip(talk, turns, strict=True)):
        tools, system, *messages = turn.requests[0]
        assert (tools.role, system.role) == ("tools", "system")
        assert "# IDENTITY" in system.text
        assert messages[-1].text == exchange.said
        texts = [each.text for each in messages]
        assert all(earlier.reply in texts for earlier in talk[:number])


async def test_two_plays_are_the_same() -> None:
    assert await played(10) == await played(10)


async def test_a_talk_is_played_without_a_long_term_memory_too() -> None:
    settings = Settings(memory_enabled=False)
    turns = await play(made_up(2), settings, memory_options(settings))
    assert [len(turn.requests) for turn in turns] == [1, 1]


async def test_simpler_bots_are_asked_the_same_with_the_whole_talk_before_it() -> None:
    talk, turns = made_up(3), await played(3)
    naive = turns[2].naive[0]
    assert [each.text for each in naive.said] == [
        text for exchange in talk[:2] for text in (exchange.said, exchange.reply)
    ]
    assert [each.text for each in naive.asked] == [talk[2].said]
    assert "wasp stings" in naive.memories


async def test_ours_is_cheaper_than_everything_that_shows_as_much() -> None:
    ways = (await evaluate("made up", made_up(14), SETTINGS)).ways
    assert {*ways} == {*OURS, FULL, PASTED, SLIDING}
    for costs in ways.values():
        assert len(costs.turns) == 14
        assert all(0 <= cost.cacheable <= cost.input for cost in costs.turns)
    assert ways[WINDOW].input < ways[FULL].input < ways[PASTED].input
    assert ways[ADAPTIVE].input < ways[WINDOW].input
    assert ways[WINDOW].cacheable_share > ways[ADAPTIVE].cacheable_share
    assert ways[WINDOW].cacheable_share > ways[PASTED].cacheable_share


# -- the goals ------------------------------------------------------------------------------------


def talked(*tokens: int, cacheable: int = 0) -> Costs:
    return Costs(tuple(Cost(each, cacheable, cacheable) for each in tokens))


def goals(ours: Costs, full: Costs, pasted: Costs) -> dict[str, tuple[float, bool]]:
    report = Report("a talk", {WINDOW: ours, FULL: full, PASTED: pasted})
    return {goal.name: (goal.measured, goal.reached) for goal in report.goals(WINDOW)}


def test_goals_are_reached_at_their_bounds() -> None:
    ours = talked(*[100] * 40, *[110] * 30, cacheable=88)
    full, pasted = talked(*[1100] * 70), talked(*[200] * 70)
    assert {name: reached for name, (_, reached) in goals(ours, full, pasted).items()} == {
        "turn 70 over turn 20": True,
        "the last 30 turns over turns 11 to 40": True,
        "turn 70 spared against the full history": True,
        "turn 10 spared against pasted into the prompt": True,
        "share that a prompt cache could serve": True,
    }


def test_goals_are_missed_beyond_their_bounds() -> None:
    ours = talked(*[100] * 40, *[120] * 30, cacheable=79)
    full, pasted = talked(*[1000] * 70), talked(*[199] * 70)
    measured = goals(ours, full, pasted)
    assert not any(reached for _, reached in measured.values())
    assert measured["turn 70 over turn 20"][0] == 1.2
    assert measured["the last 30 turns over turns 11 to 40"][0] == 1.2
    assert measured["turn 70 spared against the full history"][0] == pytest.approx(0.88)


def test_a_short_talk_has_only_the_goals_that_it_can_show() -> None:
    costs = talked(*[100] * 9)
    assert list(goals(costs, costs, costs)) == ["share that a prompt cache could serve"]
    assert len(goals(*[talked(*[100] * 20)] * 3)) == 2
    assert len(goals(*[talked(*[100] * 30)] * 3)) == 4
