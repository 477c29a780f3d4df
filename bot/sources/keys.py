"""Read numbers and flags out of a file that somebody else wrote, within bounds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from bot.errors import CodedError

LARGEST: Final = 10**9
"""Largest number a shape is taken to hold; no width, vocabulary or context comes near it."""

MOST_LAYERS: Final = 10_000
"""Most layers that are read: what is done for each layer must end."""


class Keys:
    """The keys of one table; several names of a value are tried in order."""

    def __init__(self, raw: Mapping[str, object]) -> None:
        self._raw = raw

    def has(self, *names: str) -> bool:
        """Return whether one of the names has a value."""
        return self.raw(*names) is not None

    def raw(self, *names: str) -> object:
        """Return the first value that is there and not null; None without any."""
        return next((self._raw[name] for name in names if self._raw.get(name) is not None), None)

    def count(self, *names: str) -> int:
        """Return a whole number from 1 on; raise CodedError where it is missing."""
        value = self.count_or(0, *names)
        if not value:
            raise CodedError("config_incomplete", keys=names[0])
        return value

    def count_or(self, default: int, *names: str) -> int:
        """Return a whole number from 0 on, or `default` where none is given."""
        name = next((each for each in names if self._raw.get(each) is not None), None)
        if name is None:
            return default
        return _whole(self._raw[name], name)

    def layers(self, *names: str) -> int:
        """Return a number of layers."""
        value = self.count(*names)
        if value > MOST_LAYERS:
            raise CodedError("config_value", key=names[0], value=str(value))
        return value

    def flag(self, name: str, *, default: bool = False) -> bool:
        """Return a truth value, or `default` where none is given."""
        value = self._raw.get(name)
        return value if isinstance(value, bool) else default

    def text(self, *names: str) -> str:
        """Return a text, shortened; empty without one."""
        value = self.raw(*names)
        return value[:80] if isinstance(value, str) else ""

    def part(self, *names: str) -> Keys | None:
        """Return a table inside this one."""
        value = self.raw(*names)
        return Keys(value) if isinstance(value, Mapping) else None

    def texts(self, *names: str) -> tuple[str, ...]:
        """Return a list of texts; empty without one."""
        return tuple(one for one in self._list(*names) if isinstance(one, str))

    def counts(self, *names: str) -> tuple[int, ...]:
        """Return a list of whole numbers; empty without one."""
        name = next((each for each in names if self._raw.get(each) is not None), "")
        return tuple(_whole(one, name) for one in self._list(*names))

    def parts(self, *names: str) -> tuple[Keys, ...]:
        """Return a list of tables; empty without one."""
        return tuple(Keys(one) for one in self._list(*names) if isinstance(one, Mapping))

    def entries(self, *names: str) -> Sequence[object]:
        """Return a list, whatever it holds; empty without one."""
        return self._list(*names)

    def over(self, defaults: Mapping[str, object]) -> Keys:
        """Return the same table with values for what it leaves out."""
        said = {name: value for name, value in self._raw.items() if value is not None}
        return Keys({**defaults, **said})

    def _list(self, *names: str) -> Sequence[object]:
        value = self.raw(*names)
        if not isinstance(value, list | tuple):
            return ()
        if len(value) > MOST_LAYERS:
            raise CodedError("config_value", key=names[0], value=str(len(value)))
        return value


def _whole(value: object, name: str) -> int:
    """Return a whole number inside the bounds; raise CodedError for anything else."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not _is_sound(value):
        raise CodedError("config_value", key=name, value=str(value)[:40])
    return int(value)


def _is_sound(value: float) -> bool:
    """Return whether a number is whole and inside the bounds; NaN fails every comparison."""
    return 0 <= value <= LARGEST and value == int(value)
