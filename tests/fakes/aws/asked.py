"""A fake AWS with plain boto3 clients, for the tests of what it does."""

import time
from datetime import UTC, datetime
from typing import Any

from memory.records import Kind
from memory.stores.agentcore.calls.clients import (
    CONTROL_SERVICE,
    DATA_SERVICE,
    AwsAccess,
    make_client,
)
from memory.stores.agentcore.setup import TEMPLATES
from tests.fakes.aws.server import FakeAws

NOON = datetime(2026, 3, 15, 12, tzinfo=UTC)


class Aws:
    """The fake, its clients, and `now`, its time in seconds of the epoch."""

    def __init__(self, aws: FakeAws) -> None:
        self.fake, self.now = aws, time.time()
        reach = AwsAccess("us-east-1", endpoint_url=aws.url, attempts=1)
        self.control = make_client(CONTROL_SERVICE, reach, 2)
        self.data = make_client(DATA_SERVICE, reach, 2)

    def memory(self, name: str = "m") -> str:
        """A new memory with strategies for all that AWS extracts."""
        made = self.control.create_memory(
            name=name,
            eventExpiryDuration=30,
            indexedKeys=[{"key": "slot", "type": "STRING"}],
            memoryStrategies=[
                {"semanticMemoryStrategy": _strategy("facts", Kind.FACT)},
                {"userPreferenceMemoryStrategy": _strategy("preferences", Kind.PREFERENCE)},
                {"summaryMemoryStrategy": _strategy("summaries", Kind.SUMMARY)},
            ],
        )
        return str(made["memory"]["id"])

    def say(self, memory: str, text: str, actor: str = "u1", **more: Any) -> str:
        """An event of one message; its id."""
        item = {"conversational": {"role": "USER", "content": {"text": text}}}
        given = {"sessionId": "s-1", "eventTimestamp": NOON, "payload": [item], **more}
        made = self.data.create_event(memoryId=memory, actorId=actor, **given)
        return str(made["event"]["eventId"])

    def write(self, memory: str, *texts: str, namespace: str = "/facts/u1/") -> list[str]:
        """Records; their ids."""
        records = [
            {
                "requestIdentifier": f"r{number}",
                "namespaces": [namespace],
                "content": {"text": text},
                "timestamp": NOON,
                "metadata": {"slot": {"stringValue": text}},
            }
            for number, text in enumerate(texts)
        ]
        made = self.data.batch_create_memory_records(memoryId=memory, records=records)
        return [row["memoryRecordId"] for row in made["successfulRecords"]]

    def texts(self, memory: str, **where: Any) -> list[str]:
        """What ListMemoryRecords shows."""
        pages = self.data.get_paginator("list_memory_records").paginate(memoryId=memory, **where)
        return [row["content"]["text"] for page in pages for row in page["memoryRecordSummaries"]]


def _strategy(name: str, kind: Kind) -> dict[str, Any]:
    return {"name": name, "namespaceTemplates": [TEMPLATES[kind]]}
