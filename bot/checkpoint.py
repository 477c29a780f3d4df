"""Where an engine finds the weights: a repository, or a path to be filled first."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sizing.answer import Note, note
from sizing.records import LaunchRecord, PrecisionScheme

if TYPE_CHECKING:
    from sizing.answer import Understood
    from sizing.catalogue import Catalogue
    from sizing.records import ModelRecord, PrecisionRecord

MODELS_FOLDER = "/models"
"""Folder of checkpoints that no repository is known for."""

UNNAMED = "ORGANISATION/MODEL"
"""Place of a repository where only a size is known."""

FLOATS = {"bf16": "bfloat16", "fp16": "float16", "fp32": "float32"}
"""Formats that engines turn into each other while loading."""

_NOT_IN_NAMES = re.compile(r"[^a-z0-9]+")
_LONGEST_NAME = 50


@dataclass(frozen=True)
class Checkpoint:
    """Where the weights come from."""

    path: str
    """Repository on the Hub, or a path."""

    is_local: bool
    """Whether it is a path that has to be filled first."""

    quantisation: str | None = None
    """Engine's word for the format it makes while loading."""

    dtype: str | None = None
    """16-bit format to compute in, where it is not the checkpoint's own."""

    tokenizer: str | None = None
    """Repository of the tokenizer, where the file has none that the engine reads."""

    notes: tuple[Note, ...] = ()
    """What has to be prepared."""


def label_of(name: str) -> str:
    """Return a name as Kubernetes takes it (RFC 1123)."""
    return _NOT_IN_NAMES.sub("-", name.lower()).strip("-")[:_LONGEST_NAME].strip("-") or "model"


def checkpoint_of(
    asked: Understood, model: ModelRecord | None, catalogue: Catalogue, launch: LaunchRecord
) -> Checkpoint:
    """Return where the engine finds the weights in the asked precision."""
    precision = catalogue.precisions.get(asked.precision)
    repository = repository_of(asked, model)
    native = model.native_precision if model else asked.source_precision or asked.precision
    if own := _own_file(asked, repository, is_native=asked.precision == native):
        return own
    if precision and precision.scheme is PrecisionScheme.GGUF:
        return _gguf(precision, repository)
    if published := _published(asked, model):
        return Checkpoint(published, is_local=False)
    unnamed = repository == UNNAMED
    notes = (note("start_unnamed", model=asked.model),) if unnamed else ()
    word = launch.quantises.get(asked.precision)
    if asked.precision == native:
        return Checkpoint(repository, is_local=False, notes=notes)
    if asked.precision in FLOATS and native in FLOATS:
        dtype = FLOATS[asked.precision]
        return Checkpoint(repository, is_local=False, dtype=dtype, notes=notes)
    if word and native in FLOATS:
        return Checkpoint(repository, is_local=False, quantisation=word, notes=notes)
    path = f"{MODELS_FOLDER}/{_short(repository)}-{asked.precision.upper()}"
    prepared = note("start_checkpoint", path=path, repository=repository, precision=asked.precision)
    return Checkpoint(path, is_local=True, notes=(*notes, prepared))


def repository_of(asked: Understood, model: ModelRecord | None) -> str:
    """Return the model's repository, its own or the one its shape was read from."""
    if model is not None:
        return model.hf_id
    kind, _, name = (asked.source or "").partition(":")
    return name.partition("@")[0] if kind == "hf" and name else UNNAMED


def _own_file(asked: Understood, repository: str, *, is_native: bool) -> Checkpoint | None:
    """Return the file or folder of a model that came from somebody's own file."""
    source = asked.source
    if source is None or repository != UNNAMED or not is_native:
        return None
    if source.lower().endswith(".gguf"):
        return Checkpoint(f"{MODELS_FOLDER}/{source}", is_local=True)
    path = f"{MODELS_FOLDER}/{label_of(asked.model)}"
    return Checkpoint(path, is_local=True, notes=(note("start_given", path=path, source=source),))


def _published(asked: Understood, model: ModelRecord | None) -> str | None:
    """Return the named checkpoint, else one that is known in that precision."""
    known = model.checkpoints if model else ()
    found = (one.repository for one in known if one.precision == asked.precision)
    return asked.checkpoint or next(found, None)


def _gguf(precision: PrecisionRecord, repository: str) -> Checkpoint:
    """Return the file of a GGUF format, which someone has converted or will."""
    word = precision.id.upper().replace("-", "_")
    path = f"{MODELS_FOLDER}/{_short(repository)}-{word}.gguf"
    prepared = note("start_gguf", path=path, repository=repository)
    return Checkpoint(path, is_local=True, tokenizer=repository, notes=(prepared,))


def _short(repository: str) -> str:
    return repository.rpartition("/")[2]
