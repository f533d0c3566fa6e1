"""What the bot itself says, as one language says it.

A new text is a field here and a line in the module of every language: without one of them nothing
starts, so that no text can ever be missing."""

from collections.abc import Mapping
from dataclasses import dataclass

from bot.texts.plurals import Counted
from memory.errors import Refusal


@dataclass(frozen=True, slots=True)
class Texts:
    """One language. `commands` are the menu: each command with what it does, in menu order;
    `group_commands` are those that are described in other words where several people talk.
    `refusals` say why the memory does not keep something, and `failures` why the model gave no
    answer, by the kind of failure. `yes_words` and `no_words` are what people type instead of
    pressing a button, with commas between."""

    commands: Mapping[str, str]
    group_commands: Mapping[str, str]
    owner_commands: Mapping[str, str]
    start: str
    start_keeps: str
    start_forgets: str
    engine_none: str
    engine: str
    engine_instead: str
    help: str
    unknown_command: str
    unknown_command_near: str
    new: str
    greeting_topics: str
    new_saved: str
    new_later: str
    saved: str
    saved_full: Counted
    saved_idle: str
    private_on: str
    private_off: str
    private_over: str
    private_refused: str
    stopped: str
    nothing_to_stop: str
    summary_title: str
    summary_nothing: str
    summary_last: str
    summary_last_group: str
    memory_off: str
    memory_unavailable: str
    memory_empty: str
    memory_empty_group: str
    memory_adds: str
    memory_adds_nothing: str
    memory_title: str
    memory_title_group: str
    memory_name: str
    memory_facts: str
    memory_preferences: str
    memory_summaries: str
    memory_footer: str
    memory_more: Counted
    memory_none: str
    memory_noted: str
    memory_dated: str
    memory_from: str
    memory_from_nowhere: str
    memory_said_me: str
    memory_said_you: str
    memory_quoted: str
    memory_delete_ask: str
    memory_delete_along: str
    memory_delete_messages: Counted
    memory_delete_summaries: Counted
    memory_deleted: str
    memory_brought_back: str
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
    edit_how: str
    edit_ask: str
    edit_unchanged: str
    edit_usage: str
    search_how: str
    search_ask: str
    search_found: str
    search_nothing: str
    remember_how: str
    remember_ask: str
    remembered: str
    remember_refused: str
    forget_how: str
    forget_which: str
    no_such_memory: str
    forget_all_ask: str
    forget_all_ask_group: str
    forget_all_yes: str
    forget_all_no: str
    yes_words: str
    no_words: str
    forget_all_done: str
    forget_all_kept: str
    button_not_yours: str
    button_stale: str
    name_default: str
    name_current: str
    name_set: str
    name_refused: str
    language_current: str
    language_set: str
    language_only_told: str
    language_unknown: str
    time_zone_current: str
    time_zone_set: str
    time_zone_unknown: str
    settings_title: str
    settings_title_group: str
    settings_language: str
    settings_language_ask: str
    settings_language_telegram: str
    settings_zone: str
    settings_zone_ask: str
    settings_zone_now: str
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
    usage_account: str
    usage_recordings: str
    usage_nothing: str
    usage_cost: str
    usage_cost_partly: Counted
    usage_cost_unknown: str
    usage_free: str
    usage_footer: str
    export_caption: str
    export_caption_group: str
    export_too_big: str
    only_text: str
    sees_nothing: str
    reads_no_documents: str
    unknown_file: str
    unreadable_file: str
    too_big_file: str
    lost_file: str
    hears_nothing: str
    too_long_recording: Counted
    unheard_recording: str
    wordless_recording: str
    admins_only: str
    admins_only_settings: str
    group_not_welcome: str
    group_hello: str
    group_how: str
    group_keeps: str
    group_help: str
    group_privacy: str
    ask_how: str
    empty: str
    too_long: Counted
    refused: str
    refused_unpaired: str
    refused_anonymous: str
    not_the_code: str
    no_more_codes: str
    refused_code: str
    wants_in: str
    limit_minute: Counted
    limit_day: str
    approved: str
    approved_untold: str
    in_already: str
    approved_you: str
    approve_how: str
    approve_ids_only: str
    approve_listed: str
    no_such_code: str
    users_title: str
    users_owners: str
    users_guests: str
    users_waiting: str
    users_listed: str
    users_everybody: str
    users_footer: str
    user_removed: str
    no_such_user: str
    stats: str
    paired: str
    stale: str
    no_answer: str
    refusals: Mapping[Refusal, str]
    failures: Mapping[str, str]
    error_number: str
    failed: str
