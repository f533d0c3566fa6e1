"""What the bot itself says, as one language says it.

A new text is a field here and a line in the TOML file of every language: without one of them
nothing starts, so that no text can ever be missing."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated

from bot.texts.plurals import Counted
from memory.errors import Refusal


@dataclass(frozen=True, slots=True)
class Texts:
    """One language. With a text stand the placeholders that it must have (of a Counted those beside
    `count`), with a table its keys.

    `commands` are the menu: each command with what it does, in menu order; `group_commands` are
    those that are described in other words where several people talk. `refusals` say why the memory
    does not keep something, `failures` why the model gave no answer, and `interrupted` why an
    answer ends early, by the kind of failure.
    `yes_words` and `no_words` are what people type instead of pressing a button, with commas
    between; `everything_words` what they call everything that is to be forgotten, and
    `everything_fillers` what they say with it and mean no less."""

    commands: Annotated[
        Mapping[str, str],
        *("new", "private", "summarize", "memory", "search", "remember", "edit", "forget", "name"),
        *("settings", "language", "timezone", "export", "usage", "ask", "stop", "retry", "help"),
        "start",
    ]
    group_commands: Annotated[
        Mapping[str, str], "ask", "memory", "search", "forget", "name", "settings"
    ]
    owner_commands: Annotated[Mapping[str, str], "approve", "users", "stats"]
    start: Annotated[str, "name"]
    start_keeps: str
    start_forgets: str
    engine_none: str
    engine: Annotated[str, "model"]
    engine_instead: Annotated[str, "models"]
    help: Annotated[str, "commands"]
    unknown_command: Annotated[str, "given"]
    unknown_command_near: Annotated[str, "given", "near"]
    new: str
    greeting_topics: Annotated[str, "topics"]
    new_saved: str
    new_later: str
    handed_over: str
    saved_once_back: str
    saved: str
    saved_full: Counted
    saved_idle: str
    change_noted: Annotated[str, "text"]
    change_changed: Annotated[str, "before", "text"]
    change_ended: Annotated[str, "text"]
    change_undone: Annotated[str, "text"]
    private_on: str
    private_off: str
    private_over: str
    private_refused: str
    private_is_on: str
    private_is_off: str
    stopped: str
    nothing_to_stop: str
    searching: str
    stop_button: str
    stop_not_yours: str
    summary_title: str
    summary_nothing: str
    summary_last: str
    summary_last_group: str
    memory_off: str
    memory_unavailable: str
    memory_lost: str
    memory_empty: str
    memory_empty_group: str
    memory_adds: str
    memory_adds_soon: str
    memory_adds_nothing: str
    memory_title: str
    memory_title_group: str
    memory_about: Annotated[str, "name"]
    memory_name: Annotated[str, "name"]
    memory_facts: str
    memory_preferences: str
    memory_summaries: str
    memory_unsorted: str
    memory_footer: str
    memory_more: Counted
    memory_none: str
    memory_noted: Annotated[str, "date"]
    memory_dated: Annotated[str, "date"]
    memory_before: Annotated[str, "date", "text"]
    memory_ended: Annotated[str, "date"]
    memory_from: str
    memory_from_nowhere: str
    memory_said_me: str
    memory_said_you: str
    memory_quoted: Annotated[str, "text"]
    memory_delete_ask: Annotated[str, "text"]
    memory_delete_along: str
    memory_delete_messages: Counted
    memory_delete_repeats: str
    memory_delete_summaries: Counted
    memory_deleted: Annotated[str, "text"]
    memory_brought_back: Annotated[str, "text"]
    memory_messages_gone: str
    memory_undo_late: str
    memory_gone: str
    buttons_stale: str
    button_back: str
    button_edit: str
    button_delete: str
    button_delete_yes: str
    button_delete_no: str
    button_from: str
    button_undo: str
    edit_how: Annotated[str, "id", "text"]
    edit_ask: Annotated[str, "id", "text"]
    edit_unchanged: Annotated[str, "text"]
    edit_usage: str
    search_how: str
    search_ask: str
    search_found: str
    search_nothing: str
    search_closest: str
    remember_how: str
    remember_ask: str
    remembered: Annotated[str, "text", "id"]
    remember_refused: Annotated[str, "reason"]
    forget_how: str
    forget_ask: str
    forget_every: str
    forget_none: str
    forget_kept: str
    forget_progress: Annotated[str, "done", "total"]
    no_such_memory: Annotated[str, "id"]
    forget_all_ask: str
    forget_all_ask_group: str
    forget_all_yes: str
    forget_all_no: str
    yes_words: str
    no_words: str
    everything_words: str
    everything_fillers: str
    forget_all_done: str
    forget_all_pending: Annotated[str, "left"]
    left_memories: str
    left_messages: str
    forget_pending: Annotated[str, "date"]
    forget_all_kept: str
    button_not_yours: str
    name_default: Annotated[str, "name"]
    name_current: Annotated[str, "name"]
    name_set: Annotated[str, "name"]
    name_refused: Annotated[str, "reason"]
    language_current: Annotated[str, "name", "examples"]
    language_set: Annotated[str, "name"]
    language_only_told: str
    language_unknown: Annotated[str, "given", "examples"]
    time_zone_current: Annotated[str, "name", "time"]
    time_zone_set: Annotated[str, "name", "time"]
    time_zone_unknown: Annotated[str, "given"]
    settings_title: str
    settings_title_group: str
    settings_language: str
    settings_language_ask: str
    settings_language_default: str
    settings_zone: str
    settings_zone_ask: str
    settings_zone_now: Annotated[str, "name", "time"]
    settings_zone_default: str
    settings_africa: str
    settings_america: str
    settings_asia: str
    settings_europe: str
    settings_oceania: str
    settings_length: str
    settings_length_ask: str
    settings_length_short: str
    settings_length_normal: str
    settings_length_long: str
    settings_streaming: str
    settings_streaming_ask: str
    settings_streaming_edit: str
    settings_streaming_draft: str
    settings_streaming_off: str
    usage_title: str
    usage_title_group: str
    usage_session: str
    usage_today: str
    usage_account: Annotated[str, "turns", "read", "cached", "written", "cost"]
    usage_recordings: Annotated[str, "length"]
    usage_extractions: Annotated[str, "used"]
    usage_reviews: Annotated[str, "used"]
    usage_nothing: str
    usage_cost: Annotated[str, "amount"]
    usage_cost_partly: Annotated[Counted, "amount"]
    usage_cost_unknown: str
    usage_free: str
    usage_footer: str
    export_takes_long: str
    export_caption: str
    export_caption_group: str
    export_too_big: Annotated[str, "name"]
    sees_nothing: str
    reads_no_documents: str
    unknown_file: Annotated[str, "kinds"]
    file_kinds: Annotated[Mapping[str, str], "words", "images", "pdf", "text", "speech"]
    empty_file: Annotated[str, "name"]
    unreadable_file: Annotated[str, "name"]
    too_big_file: Annotated[str, "largest"]
    lost_file: str
    hears_nothing: str
    too_long_recording: Counted
    unheard_recording: str
    wordless_recording: str
    admins_only: str
    admins_only_settings: str
    group_not_welcome: str
    group_hello: Annotated[str, "name"]
    group_how: str
    group_keeps: str
    group_help: Annotated[str, "commands"]
    group_privacy: str
    ask_how: str
    empty: str
    too_long: Annotated[Counted, "longest"]
    refused: Annotated[str, "id"]
    refused_unpaired: str
    refused_anonymous: str
    not_the_code: str
    no_more_codes: str
    refused_code: Annotated[str, "code"]
    wants_in: Annotated[str, "person", "code"]
    limit_minute: Counted
    limit_day: str
    person: Annotated[str, "name", "id"]
    person_unnamed: Annotated[str, "id"]
    approved: Annotated[str, "person"]
    approved_untold: Annotated[str, "person"]
    in_already: Annotated[str, "person"]
    approved_you: str
    approve_how: str
    approve_ids_only: str
    approve_listed: str
    no_such_code: Annotated[str, "code"]
    users_title: str
    users_owners: str
    users_guests: str
    users_waiting: str
    users_listed: str
    users_everybody: str
    users_footer: str
    user_removed: Annotated[str, "person"]
    no_such_user: Annotated[str, "id"]
    stats: Annotated[
        str,
        "people",
        "turns",
        "tokens",
        "recordings",
        "today",
        "month",
        "since",
        "errors",
        "backlog",
        "set_aside",
    ]
    stats_refused: Annotated[str, "count"]
    paired: str
    stale: str
    no_answer: str
    answer_file: str
    button_continue: str
    button_again: str
    interrupted: Annotated[
        Mapping[str, str], "timeout", "cut", "output_limit", "content_filter", "other"
    ]
    moved_on: str
    nothing_to_retry: str
    not_your_question: str
    edited: str
    refusals: Mapping[Refusal, str]
    failures: Annotated[
        Mapping[str, str],
        *("unreachable", "server_error", "bad_credentials", "unknown_model", "quota", "throttled"),
        *("context_overflow", "rejected", "attachment_refused", "timeout", "cut", "content_filter"),
        "blocked",
        *("no_answer", "output_limit", "endless_tools", "configuration"),
    ]
    error_number: Annotated[str, "id"]
    sent_again: str
    failed: Annotated[str, "id"]
