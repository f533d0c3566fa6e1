"""Everything the bot itself says, in one catalogue: a language is one more table.

Templates are filled with `str.format`; the names in braces are the same in every language."""

from collections.abc import Mapping
from dataclasses import dataclass

#: What is said when a session has been saved.
SAVED = "✨ Your conversation has been summarized and important information saved."


@dataclass(frozen=True, slots=True)
class Texts:
    """One language. `commands` are the menu: each command with what it does, in menu order."""

    commands: Mapping[str, str]
    start: str
    start_keeps: str
    start_forgets: str
    help: str
    unknown_command: str
    unknown_command_near: str
    new: str
    greeting_topics: str
    new_saved: str
    new_later: str
    saved: str
    stopped: str
    nothing_to_stop: str
    memory_off: str
    memory_unavailable: str
    memory_empty: str
    memory_title: str
    memory_title_group: str
    memory_name: str
    memory_facts: str
    memory_preferences: str
    memory_summaries: str
    memory_footer: str
    forget_how: str
    forgotten: str
    no_such_memory: str
    forget_all_ask: str
    forget_all_ask_group: str
    forget_all_yes: str
    forget_all_no: str
    forget_all_done: str
    forget_all_kept: str
    button_not_yours: str
    button_stale: str
    name_default: str
    name_current: str
    name_set: str
    name_refused: str
    usage_title: str
    usage_title_group: str
    usage_session: str
    usage_today: str
    usage_account: str
    usage_nothing: str
    usage_cost: str
    usage_cost_partly: str
    usage_cost_unknown: str
    usage_free: str
    usage_footer: str
    export_caption: str
    export_too_big: str
    only_text: str
    empty: str
    too_long: str
    refused: str
    refused_unpaired: str
    paired: str
    stale: str
    no_answer: str
    failed: str


ENGLISH = Texts(
    commands={
        "new": "Start a new conversation; this one is saved",
        "memory": "What I remember about you",
        "forget": "Delete one memory by its id, or all of them",
        "name": "What you call me: see it or change it",
        "export": "Everything I keep about you, as a file",
        "usage": "What this conversation and today have used and cost",
        "stop": "Stop the reply under way",
        "help": "What I can do",
        "start": "Who I am",
    },
    start="Hello! I'm {name}. Write to me as you would to a person.",
    start_keeps=(
        "I remember what you tell me about yourself and what you prefer, also in later "
        "conversations. /memory shows what I have kept, /forget deletes it, /export gives you all "
        "of it."
    ),
    start_forgets=(
        "My long-term memory is switched off: I only know the last messages we exchanged."
    ),
    help="You can just write to me. These commands help:\n{commands}",
    unknown_command="I don't know /{given}. I know {commands}.",
    unknown_command_near="I don't know /{given}. Did you mean /{near}? I know {commands}.",
    new="A new conversation begins.",
    greeting_topics="Last time we talked about {topics}.",
    new_saved=f"{SAVED}\nA new conversation begins.",
    new_later="A new conversation begins. I'm still saving the last one.",
    saved=SAVED,
    stopped="Stopped.",
    nothing_to_stop="There is nothing to stop.",
    memory_off="My long-term memory is switched off, so there is nothing in it.",
    memory_unavailable="I can't reach my memory right now. Please try again in a minute.",
    memory_empty=(
        "I don't remember anything about you yet. What you tell me is added when our conversation "
        "ends: /new"
    ),
    memory_title="What I remember about you",
    memory_title_group="What I remember about this group",
    memory_name="You call me {name}",
    memory_facts="Facts",
    memory_preferences="Preferences",
    memory_summaries="Conversations",
    memory_footer=(
        "What you tell me now is added when our conversation ends: /new\n"
        "To delete one: /forget and its id. To delete everything: /forget all"
    ),
    forget_how=(
        "Tell me what to forget: /forget and the id of a memory, such as /forget {example}, or "
        "/forget all. /memory shows the ids."
    ),
    forgotten="Forgotten: {text}",
    no_such_memory="I have no memory with the id {id}. /memory shows what there is.",
    forget_all_ask=(
        "Shall I delete everything I know about you, also our conversations? This can't be undone."
    ),
    forget_all_ask_group=(
        "Shall I delete everything I know about this group, also our conversations here? "
        "This can't be undone."
    ),
    forget_all_yes="Yes, delete everything",
    forget_all_no="No, keep it",
    forget_all_done="Everything is deleted. We start from the beginning.",
    forget_all_kept="All right, I keep everything.",
    button_not_yours="Only the person who asked can answer this.",
    button_stale="This question is too old. Please send /forget all again.",
    name_default="My name is {name}. To call me something else: /name and the new name.",
    name_current="You call me {name}. To change it: /name and the new name.",
    name_set="From now on my name is {name}.",
    name_refused="I can't take that name: {reason}.",
    usage_title="What I have used for you",
    usage_title_group="What I have used for this group",
    usage_session="This conversation",
    usage_today="Today, since midnight UTC",
    usage_account=(
        "• turns: {turns}\n• tokens read: {read}, {cached} of them from the cache\n"
        "• tokens written: {written}\n• cost: {cost}"
    ),
    usage_nothing="• nothing yet",
    usage_cost="${amount}",
    usage_cost_partly="${amount}, and {requests} requests at a price I don't know",
    usage_cost_unknown="I don't know the price of my language model",
    usage_free="nothing, as I run without a language model",
    usage_footer="Saving conversations is included. Costs are estimates from public prices.",
    export_caption="Everything I keep about you.",
    export_too_big="What I keep about you is too much for one file on Telegram.",
    only_text="I can only read text so far. Please write it to me.",
    empty="There was no text in your message. Please write me what you would like to say.",
    too_long=(
        "That is too long for me: {length} characters, and I can take {longest}. Please send it in "
        "smaller pieces."
    ),
    refused=(
        "This is a private bot. If you should have access, give its owner your numeric id: {id}"
    ),
    refused_unpaired=(
        "This is a private bot that has no owner yet. If it is yours, send me the pairing code "
        "from its log."
    ),
    paired="Welcome! This bot is yours now. Send /help to see what I can do.",
    stale=(
        "Sorry, I was away for a while and did not answer your earlier messages. If it still "
        "matters, please write to me again."
    ),
    no_answer="I have no answer to that. Please say it in another way.",
    failed="Something went wrong on my side. Please try again. (error {id})",
)

_CATALOGUE: Mapping[str, Texts] = {"en": ENGLISH}


def texts_in(language: str | None) -> Texts:
    """The texts in a language, by its IETF tag such as "en" or "pt-br"; English where there are
    none."""
    return _CATALOGUE.get((language or "en").lower().split("-")[0], ENGLISH)


def languages() -> Mapping[str, Texts]:
    """All languages there are, by their tag."""
    return _CATALOGUE
