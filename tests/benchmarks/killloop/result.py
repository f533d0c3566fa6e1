"""The counts of a run."""

from dataclasses import asdict, dataclass


@dataclass
class Result:
    """How much happened; then, from `lost` on, what must not happen."""

    kills: int = 0
    starts: int = 0
    messages: int = 0
    commands: int = 0
    sends: int = 0
    edits: int = 0
    deletions: int = 0
    faults: int = 0
    facts_told: int = 0
    facts_kept: int = 0
    facts_deleted: int = 0
    #: Somebody asked to delete a memory, and waited for the bot no longer.
    deletions_given_up: int = 0
    #: The message that told it was deleted, its session learned, and the deletion undone: the
    #: message is back, but is not learned from again.
    facts_not_learned_again: int = 0
    #: Somebody deleted the message that told it, but the fact had been learned since the bot asked
    #: whether to delete the message.
    facts_learned_meanwhile: int = 0
    #: Replies that say that they may have arrived before.
    sent_again_with_a_note: int = 0
    #: Commands answered at once again, because Telegram's answer to the first time was lost.
    commands_repeated: int = 0
    #: The one unavoidable gap: killed between sending and noting it. And of 100 kills.
    answered_twice_in_the_gap: int = 0
    gap_rate: float = 0.0

    lost: int = 0
    answered_twice: int = 0
    out_of_order: int = 0
    in_another_chat: int = 0
    mixed_requests: int = 0
    half_previews: int = 0
    recorded_twice: int = 0
    facts_lost: int = 0
    facts_twice: int = 0
    facts_of_others: int = 0
    facts_resurrected: int = 0
    files_damaged: int = 0
    failed_starts: int = 0
    tracebacks: int = 0
    jobs_left: int = 0
    #: A lease's token fell, or was with two workers.
    leases_wrong: int = 0

    @property
    def broken(self) -> dict[str, int]:
        """The counts that must be zero and are not."""
        counts = list(asdict(self).items())
        first = [name for name, _ in counts].index("lost")
        return {name: count for name, count in counts[first:] if count}
