"""Where AgentCore keeps whose records."""

import pytest

from memory.records import Actor, Kind
from memory.stores.agentcore.namespaces import namespace


def test_namespaces_have_both_slashes_so_that_none_is_a_prefix_of_another():
    one, twelve = Actor("u1"), Actor("u12")
    assert namespace(Kind.FACT, one) == "/facts/u1/"
    assert namespace(Kind.PREFERENCE, one) == "/preferences/u1/"
    assert namespace(Kind.SUMMARY, one, "s1") == "/summaries/u1/s1/"
    assert not namespace(Kind.FACT, twelve).startswith(namespace(Kind.FACT, one))


def test_a_summary_without_its_session_and_a_message_have_no_namespace():
    with pytest.raises(ValueError, match="session"):
        namespace(Kind.SUMMARY, Actor("u1"))
    with pytest.raises(ValueError, match="session"):
        namespace(Kind.SUMMARY, Actor("u1"), "../u2")
    with pytest.raises(ValueError, match="archived"):
        namespace(Kind.MESSAGE, Actor("u1"))
