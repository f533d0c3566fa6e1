"""Exports: everything kept about somebody, sent to them as files."""

import json
from datetime import UTC, datetime

from telegram.constants import FileSizeLimit

from bot.people.usage import Accounts
from bot.telegram.intake.reading import Origin
from bot.telegram.voice import Voice
from bot.texts import Texts
from memory.knowledge.export import readable
from memory.memory import Memory


class Exports:
    """Sends a JSON document for programs and a Markdown one for people."""

    def __init__(
        self,
        memory: Memory,
        accounts: Accounts,
        voice: Voice,
        largest: int = FileSizeLimit.FILESIZE_UPLOAD,
    ) -> None:
        """`largest` is how many bytes a file may have that is sent."""
        self._memory, self._accounts, self._voice = memory, accounts, voice
        self._largest = largest

    async def send(self, origin: Origin, texts: Texts) -> None:
        """Send both files; of one that is too big for Telegram it is said. Raises
        StoreUnavailable."""
        actor = origin.actor
        document = await self._memory.known.export(actor)
        document["usage"] = await self._accounts.export(actor)
        if (shared := await self._accounts.shared_today(actor)).tokens or shared.cost:
            document["used_in_groups_today"] = {
                "tokens": shared.tokens,
                "cost": f"{shared.cost:f}",
            }
        name = f"mordecai-{actor.id}-{datetime.now(UTC):%Y-%m-%d}"
        files = {
            f"{name}.json": json.dumps(document, ensure_ascii=False, indent=2),
            f"{name}.md": readable(document),
        }
        caption = texts.export_caption if origin.is_private else texts.export_caption_group
        for file, text in files.items():
            content = text.encode(errors="replace")
            if len(content) > self._largest:
                await self._voice.post(origin, texts.export_too_big.format(name=file))
            else:
                await self._voice.send_file(origin, file, content, caption)
                caption = ""
