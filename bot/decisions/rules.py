"""Who may approve a decision: the standing rules, else those it brings along."""

from __future__ import annotations

from bot.decisions.directory import Directory
from bot.decisions.permission import approvers_of
from bot.decisions.records import Rules
from bot.errors import CodedError


def rules_for(
    standing: Rules | None,
    reviewers: tuple[str, ...],
    channel_id: str | None,
    requester_id: str | None = None,
) -> Rules:
    """Return the rules of a new decision.

    Standing rules that name somebody hold. Without any the reviewers who were named may approve,
    else everybody in the conversation of its thread. Where there is no conversation either, the
    person who asks is the only one there is, and may where one may approve one's own.
    """
    standing = standing or Rules()
    if standing.users or standing.groups or standing.channels:
        return standing
    if reviewers:
        return standing.model_copy(update={"users": reviewers})
    if channel_id:
        return standing.model_copy(update={"channels": (channel_id,)})
    alone = (requester_id,) if requester_id and standing.may_approve_own else ()
    return standing.model_copy(update={"users": alone})


def check_reachable(
    rules: Rules, requester_id: str, directory: Directory, reviewers: tuple[str, ...] = ()
) -> None:
    """Raise CodedError where the people who may approve are fewer than have to."""
    able = approvers_of(rules, directory) - (
        frozenset() if rules.may_approve_own else {requester_id}
    )
    if len(able) >= rules.needed:
        return
    if able:
        raise CodedError("too_few_approvers", needed=rules.needed, able=len(able))
    is_own = requester_id in reviewers
    raise CodedError("never_review_your_own" if is_own else "nobody_may_approve")


def check_reviewers(rules: Rules, reviewers: tuple[str, ...], directory: Directory) -> None:
    """Raise CodedError where somebody who is asked to review may not approve."""
    able = approvers_of(rules, directory)
    unable = [one for one in reviewers if one not in able]
    if unable:
        raise CodedError("reviewer_may_not", name=directory.name(unable[0]))
