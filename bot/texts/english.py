"""English: what the other languages say as well."""

from bot.assistant.failures import FAILURES
from bot.texts.plurals import Counted, one_other
from bot.texts.texts import Texts
from memory.errors import Refusal

#: What is said when a session has been saved.
SAVED = "✨ Your conversation has been summarized and important information saved."


def _counted(one: str, other: str) -> Counted:
    return Counted(one_other, {"one": one, "other": other})


ENGLISH = Texts(
    commands={
        "new": "Start a new conversation; this one is saved",
        "private": "Talk without me keeping anything; again to end it",
        "summarize": "What this conversation has been about so far",
        "memory": "What I remember about you",
        "search": "Look for something in my memory",
        "remember": "Remember a sentence right away",
        "edit": "Put a memory in other words",
        "forget": "Delete one memory by its id, or all of them",
        "name": "What you call me: see it or change it",
        "settings": "Language, time zone, length and look of answers",
        "language": "Your language: see it or change it",
        "timezone": "Your time zone: see it or change it",
        "export": "Everything I keep about you, as files",
        "usage": "Use and cost: this conversation and today",
        "ask": "Ask me something; for groups",
        "stop": "Stop the answer I am writing",
        "help": "What I can do",
        "start": "Who I am",
    },
    group_commands={
        "ask": "Ask me something",
        "memory": "What I remember about this group; for its admins",
        "search": "Look for something in my memory; for admins",
        "forget": "Delete one memory by its id, or all of them; for admins",
        "name": "What I am called here: see it or change it",
        "settings": "Language, time zone, how I answer here; for admins",
    },
    owner_commands={
        "approve": "Let somebody in by their code or id",
        "users": "Who may use me and who is waiting",
        "stats": "How I am doing: people, turns, errors, costs",
    },
    start="Hello! I'm {name}. Write to me as you would to a person.",
    start_keeps=(
        "I remember what you tell me about yourself and what you prefer, even in later "
        "conversations. /memory shows what I have kept, /forget deletes it, /export gives you all "
        "of it."
    ),
    start_forgets=(
        "My long-term memory is switched off: I only know the last messages we exchanged."
    ),
    engine_none=(
        "I run without a language model: I understand what you tell me about yourself, names you "
        "give me and questions about what I know, best in English, Russian and German."
    ),
    engine="My answers are written by {model}.",
    engine_instead="When it can't be reached, I use {models}.",
    help="You can just write to me. These commands help:\n{commands}",
    unknown_command="I don't know /{given}. /help shows what I can do.",
    unknown_command_near="I don't know /{given}. Did you mean /{near}? /help shows all I can do.",
    new="A new conversation begins.",
    greeting_topics="Last time we talked about {topics}.",
    new_saved=f"{SAVED}\nA new conversation begins.",
    new_later="A new conversation begins. I'm still saving the last one.",
    saved=SAVED,
    saved_full=_counted(
        "We have exchanged {count} message, so a new conversation begins.",
        "We have exchanged {count} messages, so a new conversation begins.",
    ),
    saved_idle="It has been quiet for a while, so a new conversation begins.",
    private_on=(
        "🔒 This conversation is private. I keep nothing of it: when it ends, it is gone. I may "
        "still use what I already know about you. My answers carry this mark until you send "
        "/private again, or /new."
    ),
    private_off="The private conversation is over, and nothing of it was kept.",
    private_over=(
        "The private conversation is over, as it has been quiet for so long, and nothing of it was "
        "kept. What you write next is no longer private; /private begins another one."
    ),
    private_refused=(
        "🔒 This conversation is private, so I keep nothing, not even on request. To end it: "
        "/private"
    ),
    stopped="Stopped.",
    nothing_to_stop="There is nothing to stop.",
    summary_title="What we have talked about so far:",
    summary_nothing="There is nothing to sum up yet: we have only just begun.",
    summary_last="The last conversation is saved:",
    summary_last_group="The last conversation is saved: /memory shows admins what it was about.",
    memory_off="My long-term memory is switched off, so this command can do nothing.",
    memory_unavailable="I can't reach my memory right now. Please try again in a minute.",
    memory_empty="I don't remember anything about you yet.",
    memory_empty_group="I don't remember anything about this group yet.",
    memory_adds="What you tell me now is added when our conversation ends: /new",
    memory_adds_nothing="This conversation is private: nothing of it is added.",
    memory_title="What I remember about you",
    memory_title_group="What I remember about this group",
    memory_name="You call me {name}",
    memory_facts="Facts",
    memory_preferences="Preferences",
    memory_summaries="Conversations",
    memory_footer="To delete one: /forget and its id. To delete everything: /forget all",
    memory_more=_counted("… and {count} earlier one", "… and {count} earlier ones"),
    memory_none="There is nothing here.",
    memory_noted="Noted on {date}.",
    memory_dated="When: {date}.",
    memory_from="Where I know this from:",
    memory_from_nowhere="The message I know this from is no longer kept.",
    memory_said_me="I",
    memory_said_you="You",
    memory_quoted="“{text}”",
    memory_delete_ask="Shall I delete this?\n\n{text}",
    memory_delete_along="Deleted along with it:",
    memory_delete_messages=_counted(
        "{count} message where it comes up", "{count} messages where it comes up"
    ),
    memory_delete_summaries=_counted(
        "{count} summary of a conversation", "{count} summaries of conversations"
    ),
    memory_deleted="Deleted: {text}",
    memory_brought_back="It is back: {text}",
    memory_undo_late="It is too late to take that back.",
    memory_gone="This memory is no longer there.",
    buttons_stale="These buttons are too old. Please send /{command} again.",
    button_back="‹ Back",
    button_edit="Edit",
    button_delete="Delete",
    button_delete_yes="Yes, delete it",
    button_delete_no="No, keep it",
    button_from="Where from?",
    button_undo="Undo",
    edit_how=(
        "To put this in other words, send me\n/edit {id} and the new words.\n\nNow it reads: {text}"
    ),
    edit_ask=(
        "Send me the new words for this. (At any time: /edit {id} and the new words.)\n\n"
        "Now it reads: {text}"
    ),
    edit_unchanged="It stays as it was: {text}",
    edit_usage="Tell me which memory and its new words, such as: /edit f1 I live in Oslo",
    search_how="Tell me what to look for: /search and some words.",
    search_ask="What shall I look for? Send me some words.",
    search_found="What I found",
    search_nothing="I found nothing about that.",
    remember_how="Tell me what to remember: /remember and a sentence about you.",
    remember_ask=(
        "What shall I remember? Send me a sentence about you, or any command to call it off."
    ),
    remembered="Remembered: {text}  [{id}]",
    remember_refused="I can't keep that: {reason}.",
    forget_how=(
        "Tell me what to forget: /forget and the id of a memory, such as /forget {example}, or "
        "/forget all. /memory shows the ids."
    ),
    forget_which=(
        "I forget single memories by their ids, or everything: /forget all. To find those "
        "about something: /search and some words, then /forget and the ids."
    ),
    no_such_memory="I have no memory with the id {id}. /memory shows what there is.",
    forget_all_ask=(
        "Shall I delete everything I know about you, including our conversations? This can't be "
        "undone."
    ),
    forget_all_ask_group=(
        "Shall I delete everything I know about this group, including our conversations here? "
        "This can't be undone."
    ),
    forget_all_yes="Yes, delete everything",
    forget_all_no="No, keep it",
    yes_words="yes, y, yep, yeah, yes please, delete everything",
    no_words="no, n, nope, no thanks, no thank you, cancel",
    forget_all_done="Everything is deleted. We start from the beginning.",
    forget_all_kept="All right, I keep everything.",
    button_not_yours="Only the person who asked can answer this.",
    button_stale="This question is too old. Please send /forget all again.",
    name_default="My name is {name}. To call me something else: /name and the new name.",
    name_current="You call me {name}. To change it: /name and the new name.",
    name_set="From now on my name is {name}.",
    name_refused="I can't take that name: {reason}.",
    language_current="The language is {name}. To change it: /language and one of {examples}.",
    language_set="The language is {name} now.",
    language_only_told="The model is told; my own sentences, such as this, stay in English.",
    language_unknown="I don't know the language {given}. These I know: {examples}.",
    time_zone_current=(
        "The time zone is {name}; it is {time} there. To change it: /timezone and its name, such "
        "as /timezone Europe/Rome, /timezone America/New_York or /timezone UTC."
    ),
    time_zone_set="The time zone is {name} now; it is {time} there.",
    time_zone_unknown=(
        "I don't know the time zone {given}. Give me a name such as Europe/Rome, Asia/Kolkata, "
        "America/New_York or UTC."
    ),
    settings_title="Your settings",
    settings_title_group="The settings of this group",
    settings_language="Language",
    settings_language_ask="Which language shall I speak? The model is told as well.",
    settings_language_telegram="As in Telegram",
    settings_zone="Time zone",
    settings_zone_ask=(
        "Which time zone? For any other place, send /timezone and its name, such as "
        "/timezone Europe/Rome."
    ),
    settings_zone_now="{name}, where it is {time}",
    settings_zone_default="As this bot",
    settings_africa="Africa",
    settings_america="America",
    settings_asia="Asia",
    settings_europe="Europe",
    settings_oceania="Australia and Oceania",
    settings_length="Length of answers",
    settings_length_ask="How long shall my answers be?",
    settings_length_short="short",
    settings_length_normal="normal",
    settings_length_long="detailed",
    settings_streaming="While I write",
    settings_streaming_ask="How do you want to see an answer while I write it?",
    settings_streaming_edit="a message that grows",
    settings_streaming_draft="a draft, as if I were typing",
    settings_streaming_off="only when it is done",
    usage_title="What I have used for you",
    usage_title_group="What I have used for this group",
    usage_session="This conversation",
    usage_today="Today, since midnight UTC",
    usage_account=(
        "• turns: {turns}\n• tokens read: {read}, {cached} of them from the cache\n"
        "• tokens written: {written}\n• cost: {cost}"
    ),
    usage_recordings="• recordings: {length} min",
    usage_nothing="• nothing yet",
    usage_cost="${amount}",
    usage_cost_partly=_counted(
        "${amount}, and {count} request at a price I don't know",
        "${amount}, and {count} requests at a price I don't know",
    ),
    usage_cost_unknown="I don't know the price of my models",
    usage_free="nothing, as I run without a language model",
    usage_footer="Saving conversations is included. Costs are estimates from public prices.",
    export_caption="Everything I keep about you.",
    export_caption_group="Everything I keep about this group.",
    export_too_big="I can't send you {name}: it is too big for one file on Telegram.",
    admins_only="Only admins of this group can do that, as it concerns what everybody here said.",
    admins_only_settings=(
        "Only admins of this group can change its settings, as they are for everybody here."
    ),
    group_not_welcome=(
        "Thank you for the invitation! I may only stay in groups that I was added to by somebody "
        "who may use me, so I am leaving again."
    ),
    group_hello="Hello! I'm {name}.",
    group_how="Ask me with /ask, mention me or answer one of my messages.",
    group_keeps="What you tell me here I remember for this group, and for nobody's private chat.",
    group_help="These commands help:\n{commands}",
    group_privacy=(
        "Telegram hides other messages from me (privacy mode), sometimes also mentions: /ask "
        "always reaches me."
    ),
    only_text="I can only read text so far. Please write it to me.",
    sees_nothing=(
        "I can't look at pictures the way I am set up. Please tell me in words what matters."
    ),
    reads_no_documents=(
        "I can't read this kind of document the way I am set up. Please send me the text of it, "
        "or what matters, as a message."
    ),
    unknown_file=(
        "I can't do anything with this kind of file. Please tell me in words what matters."
    ),
    unreadable_file="I can't read the file {name}: it is damaged, or of a kind that I don't know.",
    too_big_file=(
        "The file is too big for me: I can take {largest} MB of this kind. Please send me a "
        "smaller one, or the part that matters."
    ),
    lost_file="I could not fetch your file from Telegram. Please send it again.",
    hears_nothing="I can't listen to recordings. Please write to me what you said.",
    too_long_recording=_counted(
        "That recording is too long for me: I can listen to {count} minute. Please send it in "
        "shorter pieces.",
        "That recording is too long for me: I can listen to {count} minutes. Please send it in "
        "shorter pieces.",
    ),
    unheard_recording=(
        "I could not listen to your recording. Please send it again, or write to me what you said."
    ),
    wordless_recording="I could not make out any words in your recording. Please say it again.",
    ask_how=(
        "Write your question after /ask. Or answer somebody's message with /ask, and I look at "
        "that one."
    ),
    empty="There was no text in your message. Please write me what you would like to say.",
    too_long=_counted(
        "That is too long for me: {count} character, and I can take {longest}. Please send it in "
        "smaller pieces.",
        "That is too long for me: {count} characters, and I can take {longest}. Please send it in "
        "smaller pieces.",
    ),
    refused=(
        "This is a private bot. If you should have access, give its owner your numeric id: {id}"
    ),
    refused_unpaired=(
        "This is a private bot that has no owner yet. If it is yours, send me the pairing code "
        "from its log."
    ),
    refused_anonymous=(
        "I can't see who writes in the name of the group, and I only answer people whom I know. "
        "Please write to me as yourself."
    ),
    not_the_code=(
        "That is not the code. You find it in the log of the running bot, in the line "
        "that says “pairing”; every start of the bot makes a new one."
    ),
    no_more_codes=(
        "I have been sent too many wrong codes: I look at no more from you until I am "
        "restarted. Then there is a new one in the log."
    ),
    refused_code=(
        "This is a private bot. To be let in, give its owner this code: {code}\n"
        "Once the owner sends me /approve {code}, you can write to me."
    ),
    wants_in="{name} (id {id}) would like to use me. To let them in: /approve {code}",
    limit_minute=_counted(
        "That is more than I can take at once. Please wait {count} second and write again.",
        "That is more than I can take at once. Please wait {count} seconds and write again.",
    ),
    limit_day=(
        "Today's limit is reached. From midnight UTC I answer again; what I remember stays."
    ),
    approved="{name} (id {id}) may use me now.",
    approved_untold=(
        "{name} (id {id}) may use me now. I could not tell them, as I can't write to "
        "people who have never written to me: please tell them yourself."
    ),
    in_already="{name} (id {id}) may use me already.",
    approved_you="You are welcome: the owner has let you in. Send /help to see what I can do.",
    approve_how=(
        "Tell me whom to let in: /approve and the code that I gave them, or their numeric id."
    ),
    approve_ids_only=(
        "I let people in by their code or their numeric id, such as /approve 1001. A user "
        "name can be given up and taken by somebody else."
    ),
    approve_listed=(
        "Here the settings alone say who may use me (access = allowlist). Add their "
        "numeric id to allowed_users and restart me."
    ),
    no_such_code="I gave nobody the code {code}, or it has expired. /users shows who is waiting.",
    users_title="Who may use me",
    users_owners="Owners",
    users_guests="Approved",
    users_waiting="Waiting for you",
    users_listed="Named in the settings",
    users_everybody="Everybody may use me: access is open.",
    users_footer="To take away somebody's access: /users remove and their numeric id.",
    user_removed="{name} (id {id}) may not use me any more.",
    no_such_user="I know nobody with the id {id} whom I could remove. /users shows everybody.",
    stats=(
        "• people today: {people}\n• turns today: {turns}\n• tokens today: {tokens}\n"
        "• recordings today: {recordings} min\n• cost today: {today}\n• cost this month: {month}\n"
        "• errors since {since} UTC: {errors}\n"
        "• conversations waiting to be saved: {backlog}, {set_aside} of them set aside"
    ),
    paired="Welcome! This bot is yours now. Send /help to see what I can do.",
    stale=(
        "Sorry, I was away for a while and did not answer your earlier messages. If it still "
        "matters, please write to me again."
    ),
    no_answer="I have no answer to that. Please say it another way.",
    refusals={
        Refusal.EMPTY: "there is nothing in it to remember",
        Refusal.LONG: "it is too long; say what matters in a sentence or two",
        Refusal.ORDER: (
            "it reads like an order about my own rules, and a memory says something about a "
            "person, or how they wish to be spoken to"
        ),
        Refusal.QUESTION: "it is a question and states nothing; ask me without /remember",
        Refusal.SETTING: "that one is a setting: /settings",
        Refusal.OFF: "my long-term memory is switched off",
        Refusal.NAME_LINES: "a name has to be on one line",
        Refusal.NAME_EMPTY: "a name needs at least one letter or digit",
        Refusal.NAME_LONG: "it is too long",
        Refusal.NAME_CHARACTERS: "a name can't have control characters or angle brackets",
        Refusal.OTHER: "that can't be done here",
    },
    failures={failure.kind: failure.user for failure in FAILURES},
    error_number="(error {id})",
    failed="Something went wrong on my side. Please try again. (error {id})",
)
