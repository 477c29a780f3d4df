"""Read what the environment says about who may approve decisions."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Final

from bot.errors import CodedError

if TYPE_CHECKING:
    from bot.decisions.records import Rules

APPROVERS, NEEDED, OWN = "GPUSIZE_APPROVERS", "GPUSIZE_APPROVALS", "GPUSIZE_SELF_APPROVAL"
"""Names of the variables."""

MOST_NEEDED: Final = 10
"""Most approvals that can be asked for."""

_USER: Final = re.compile(r"[UW][A-Z0-9]{4,}", re.ASCII)
_GROUP: Final = re.compile(r"S[A-Z0-9]{4,}", re.ASCII)
_CHANNEL: Final = re.compile(r"[CG][A-Z0-9]{4,}", re.ASCII)
_LOGIN: Final = re.compile(r"[a-z_][a-z0-9_.-]*", re.ASCII)


def standing_rules(environ: Mapping[str, str]) -> Rules:
    """Return the rules; raise CodedError where the variables contradict themselves."""
    from bot.decisions.records import Rules

    if any(rule_problems(environ)):
        raise CodedError("approval_settings", names=", ".join((APPROVERS, NEEDED, OWN)))
    names = _names(environ)
    return Rules(
        users=tuple(one for one in names if _USER.fullmatch(one) or _LOGIN.fullmatch(one)),
        groups=tuple(filter(_GROUP.fullmatch, names)),
        channels=tuple(filter(_CHANNEL.fullmatch, names)),
        needed=int(environ.get(NEEDED, "").strip() or 1),
        may_approve_own=environ.get(OWN, "").strip().lower() == "on",
    )


def rule_problems(environ: Mapping[str, str]) -> Iterator[CodedError]:
    """Yield what is wrong with these variables."""
    patterns = (_USER, _GROUP, _CHANNEL, _LOGIN)
    for name in _names(environ):
        if not any(pattern.fullmatch(name) for pattern in patterns):
            yield CodedError("approver", name=APPROVERS, value=name)
    needed = environ.get(NEEDED, "").strip()
    if needed and not (re.fullmatch("[0-9]{1,2}", needed) and 1 <= int(needed) <= MOST_NEEDED):
        yield CodedError("approvals", name=NEEDED, value=needed, most=MOST_NEEDED)
    own = environ.get(OWN, "").strip().lower()
    if own not in {"", "on", "off"}:
        yield CodedError("choice", name=OWN, value=own, choices="on, off")


def _names(environ: Mapping[str, str]) -> tuple[str, ...]:
    words = re.split(r"[\s,;]+", environ.get(APPROVERS, "").strip())
    return tuple(dict.fromkeys(filter(None, words)))
