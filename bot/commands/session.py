"""The commands about the conversation under way: /new, /private, /summarize and /usage."""

from bot.assistant.greeting import Greetings
from bot.commands.bill import bill
from bot.people.privacy import Privacy
from bot.people.usage import Account, Accounts
from bot.telegram.intake.reading import Heard
from bot.telegram.voice import Voice, paragraphs
from bot.texts import Texts
from memory.learning.endings import Outcome
from memory.memory import Memory

#: How long /new waits for the extraction before it says that saving goes on. In seconds.
_NEW_WAITS = 2.0


class SessionCommands:
    """Begins and ends conversations, and tells what one was about and has cost. All raise
    StoreUnavailable."""

    def __init__(
        self,
        memory: Memory,
        voice: Voice,
        privacy: Privacy,
        accounts: Accounts,
        greetings: Greetings,
    ) -> None:
        self._memory, self._voice, self._privacy = memory, voice, privacy
        self._accounts, self._greetings = accounts, greetings
        self.table = {
            "new": self._new,
            "private": self._private,
            "summarize": self._summarize,
            "usage": self._usage,
        }

    async def _new(self, heard: Heard, argument: str, texts: Texts) -> None:
        actor = heard.origin.actor
        ending = await self._memory.talk.end(actor, heard.origin.place, "new")
        outcome = await ending.wait(_NEW_WAITS) if ending else Outcome.NOTHING
        if outcome is Outcome.DISCARDED:
            await self._privacy.ended()
        said = {
            Outcome.SAVED: texts.new_saved,
            Outcome.LATER: texts.new_later,
            Outcome.DISCARDED: f"{texts.private_off}\n{texts.new}",
        }
        # While the last one is still being saved, nothing is known of it.
        known = outcome is not Outcome.LATER
        greeting = await self._greetings.sentence(actor, texts.greeting_topics) if known else None
        await self._voice.say(heard, paragraphs(said.get(outcome, texts.new), greeting or ""))

    async def _private(self, heard: Heard, argument: str, texts: Texts) -> None:
        where = heard.origin.actor, heard.origin.place
        if await self._privacy.is_on(*where):
            await self._new(heard, argument, texts)
            return
        ending = await self._privacy.begin(*where)
        outcome = await ending.wait(_NEW_WAITS) if ending else Outcome.NOTHING
        saved = texts.saved if outcome is Outcome.SAVED else ""
        await self._voice.answer(heard, paragraphs(saved, texts.private_on))

    async def _summarize(self, heard: Heard, argument: str, texts: Texts) -> None:
        summaries = await self._memory.talk.summarize_now(heard.origin.actor, heard.origin.place)
        said = "\n\n".join(summary.text for summary in summaries)
        if said:
            await self._voice.say(heard, paragraphs(texts.summary_title, said))
            return
        last = await self._last_talk(heard, texts)
        await self._voice.say(heard, paragraphs(texts.summary_nothing, last))

    async def _last_talk(self, heard: Heard, texts: Texts) -> str:
        """What the conversation before this one was about. In a group that is its admins' to see,
        as it may be another topic's."""
        talks = await self._memory.known.past_talks(heard.origin.actor)
        if not talks:
            return ""
        if not heard.origin.is_private:
            return texts.summary_last_group
        return f"{texts.summary_last}\n{talks[-1].text}"

    async def _usage(self, heard: Heard, argument: str, texts: Texts) -> None:
        origin = heard.origin
        session = await self._memory.talk.session(origin.actor, origin.place)
        used = await self._accounts.of_session(origin.actor, session.id) if session else Account()
        today = await self._accounts.today(origin.actor)
        await self._voice.say(
            heard,
            paragraphs(
                texts.usage_title if origin.is_private else texts.usage_title_group,
                f"{texts.usage_session}\n{bill(used, texts)}",
                f"{texts.usage_today}\n{bill(today, texts)}",
                texts.usage_footer if today.total.cost else "",
            ),
        )
