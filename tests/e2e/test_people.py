"""Who is who in Slack: groups, conversations and names, remembered for a minute."""

from __future__ import annotations

import pytest
from slack_sdk import WebClient

from bot.errors import CodedError
from bot.listeners.people import KEEP_S, MOST_KEPT, PAGE, People
from bot.workspace import Channel, Fault, User, Workspace
from tests.e2e.deciding import staffed


class Watch:
    """A clock that goes on when it is told to."""

    now_s = 100.0

    def __call__(self) -> float:
        return self.now_s


@pytest.fixture
def workspace():
    with staffed() as workspace:
        yield workspace


@pytest.fixture
def watch():
    return Watch()


@pytest.fixture
def people(watch):
    return People(watch)


@pytest.fixture
def directory(workspace, people):
    client = WebClient(workspace.bot_token, base_url=workspace.api_url)
    return people.directory(client, team_id="T0LOCAL", own_id="U0GPUSIZE")


def calls(workspace, method):
    return sum(one.method == method for one in workspace.calls)


def test_groups_and_conversations_have_members_and_the_app_is_none_of_them(directory) -> None:
    assert directory.members("S0LEADS") == {"U0ANA", "U0EVA"}
    planning = directory.members("C0PLANNING")
    assert planning == {"U0ANA", "U0BEN", "U0EVA", "U0TOM", "U0ROBOT"}
    assert directory.members("D0BEN") == frozenset()


def test_everything_has_a_name(directory) -> None:
    names = [directory.name(one) for one in ("U0BEN", "S0LEADS", "C0PLANNING", "D0BEN")]
    assert names == ["ben", "@infra-leads", "#gpu-planning", "DM"]


def test_what_cannot_be_read_is_named_by_its_id(directory) -> None:
    assert [directory.name(one) for one in ("U404", "S404", "C404")] == ["U404", "S404", "C404"]


def test_a_large_conversation_is_read_page_by_page(workspace, directory) -> None:
    crowd = frozenset(f"U{number:05d}" for number in range(PAGE + 1))
    workspace.world.channels["C0ALL"] = Channel("C0ALL", "all", crowd)
    assert directory.members("C0ALL") == crowd
    assert calls(workspace, "conversations.members") == 2


def test_answers_are_believed_for_a_minute(workspace, directory, watch) -> None:
    directory.members("S0LEADS")
    watch.now_s += KEEP_S - 1
    directory.members("S0LEADS")
    assert calls(workspace, "usergroups.users.list") == 1
    watch.now_s += 1
    directory.members("S0LEADS")
    assert calls(workspace, "usergroups.users.list") == 2


def test_the_first_to_come_is_forgotten_first(people) -> None:
    read = []
    for number in range(MOST_KEPT + 1):
        people.remembered((str(number),), lambda: read.append(1))
    people.remembered(("1",), lambda: read.append(1))
    assert len(read) == MOST_KEPT + 1
    people.remembered(("0",), lambda: read.append(1))
    assert len(read) == MOST_KEPT + 2


def test_a_failure_is_said_and_not_remembered(workspace, directory) -> None:
    workspace.fail_next("conversations.members", Fault(error="missing_scope"))
    with pytest.raises(CodedError) as caught:
        directory.members("C0PLANNING")
    assert caught.value.code == "people_scope"
    assert caught.value.values["scope"] == "channels:read, groups:read"
    assert directory.members("C0PLANNING")


def test_programs_are_told_from_people(directory) -> None:
    accounts = ("U0ROBOT", "U0GPUSIZE", "U0BEN")
    assert [directory.is_bot(one) for one in accounts] == [True, True, False]


def test_an_account_that_slack_does_not_know_is_no_person(directory) -> None:
    with pytest.raises(CodedError):
        directory.is_bot("U404")


def test_who_left_keeps_the_name(workspace, directory) -> None:
    workspace.world.users["U0OLD"] = User("U0OLD", "old", "Old Hand", "en-US", is_deleted=True)
    assert directory.name("U0OLD") == "old"


def test_conversations_say_who_may_read_and_write_there() -> None:
    channels = (
        Channel("C1", "open", frozenset({"U0GPUSIZE"})),
        Channel("C2", "shut", frozenset({"U0GPUSIZE"}), is_private=True),
        Channel("C3", "old", frozenset(), is_archived=True),
    )
    with Workspace(channels=channels) as workspace:
        client = WebClient(workspace.bot_token, base_url=workspace.api_url)
        directory = People().directory(client, team_id=None, own_id=None)
        told = [directory.conversation(one.id) for one in channels]
    assert [one.is_public for one in told] == [True, False, True]
    assert [one.is_member for one in told] == [True, True, False]
    assert [one.is_archived for one in told] == [False, False, True]
