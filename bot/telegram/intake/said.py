"""What was said and wants an answer: one message, or several that are answered together. Pure."""

from dataclasses import dataclass, replace
from functools import reduce
from itertools import accumulate

from bot.assistant.events import Inbound
from bot.telegram.intake.enclosures import Enclosed, go_together
from bot.telegram.intake.reading import Heard
from memory.records import Actor


@dataclass(frozen=True, slots=True)
class Said:
    """Something said that wants an answer: one message or a merged burst. `message_ids` are those
    of the chat's messages, `update_ids` those of the updates that brought them. Where more may
    follow, an answer waits for it a moment. `files` are not fetched yet. A burst knows what it was
    `merged` of."""

    inbound: Inbound
    update_ids: tuple[int, ...]
    message_ids: tuple[int, ...]
    more_may_follow: bool = False
    files: tuple[Enclosed, ...] = ()
    merged: "tuple[Said, ...]" = ()

    @classmethod
    def of(cls, heard: Heard) -> "Said":
        """One message."""
        origin = heard.origin
        inbound = Inbound(
            id=f"{origin.place.channel}:{origin.place.chat_id}:{heard.message_id}",
            actor=origin.actor,
            place=origin.place,
            text=heard.text or "",
            at=heard.at,
            speaker=origin.speaker,
            language=origin.language,
            user_id=origin.user_id,
        )
        return cls(
            inbound,
            (heard.update_id,),
            (heard.message_id,),
            more_may_follow=heard.more_may_follow,
            files=heard.files,
        )

    @property
    def parts(self) -> "tuple[Said, ...]":
        """The single messages, one or more."""
        return self.merged or (self,)

    @property
    def _who(self) -> tuple[Actor, int | None, str | None]:
        # Anonymous admins have one id, and may sign in different ways.
        return self.inbound.actor, self.inbound.user_id, self.inbound.speaker

    def beginnings(self) -> "list[tuple[Said, Said | None]]":
        """Its first message and the rest of it, its first two and the rest …, all of it and
        None."""
        parts = self.parts
        heads = accumulate(parts, Said._and)
        rests = accumulate(reversed(parts[1:]), lambda rest, part: part._and(rest))
        return list(zip(heads, [*reversed([*rests]), None], strict=True))

    def joined(self, later: "Said", longest: int) -> "Said | None":
        """Both as one, if one person said them and they are not too much together."""
        if self._who != later._who:
            return None
        burst = self._and(later)
        return burst if len(burst.inbound.text) <= longest and go_together(burst.files) else None

    def amended(self, changed: Heard, longest: int) -> "Said | None":
        """The same with one of its messages as it reads now; None if it has no such message, or
        would be too much."""
        if changed.message_id not in self.message_ids:
            return None
        text, files = changed.text or "", changed.files
        amended = reduce(
            Said._and,
            (
                replace(part, inbound=replace(part.inbound, text=text), files=files)
                if part.message_ids == (changed.message_id,)
                else part
                for part in self.parts
            ),
        )
        fits = len(amended.inbound.text) <= longest and go_together(amended.files)
        return amended if fits else None

    def _and(self, later: "Said") -> "Said":
        mine, theirs = self.inbound, later.inbound
        # The name of a burst depends on nothing but its messages, in whatever order it grew.
        id_ = "+".join((mine.id, *map(str, later.message_ids)))
        return Said(
            replace(theirs, id=id_, text=f"{mine.text}\n{theirs.text}"),
            self.update_ids + later.update_ids,
            self.message_ids + later.message_ids,
            # An album that answers a picture brings that with every message of its own.
            files=tuple(dict.fromkeys(self.files + later.files)),
            merged=self.parts + later.parts,
        )
