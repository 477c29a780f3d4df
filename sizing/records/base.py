"""What all records share: strictness, sources and the field types."""

from __future__ import annotations

from datetime import date
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

Identifier = Annotated[str, StringConstraints(pattern=r"^[a-z0-9][a-z0-9.+-]*$", max_length=80)]
Name = Annotated[str, StringConstraints(min_length=1, max_length=80, strip_whitespace=True)]
Text = Annotated[str, StringConstraints(min_length=1, strip_whitespace=True)]
Count = Annotated[int, Field(ge=0)]
PositiveCount = Annotated[int, Field(gt=0)]
Positive = Annotated[float, Field(gt=0)]


class Record(BaseModel):
    """Frozen value that refuses unknown keys."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class SourcedRecord(Record):
    """Record that says where its facts come from and when they were checked."""

    sources: Annotated[tuple[Text, ...], Field(min_length=1)]
    """Where each fact can be read again: repository and file, document, or address."""

    checked: date
    """Day on which the facts were last compared with their sources."""
