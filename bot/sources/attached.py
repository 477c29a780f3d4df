"""Files that came with a question: a `config.json`, an index, or the start of a file of weights."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from bot.errors import CodedError
from bot.sources.bounded import LARGEST_CONFIG_BYTES
from bot.sources.references import reference_to
from sizing.records import GivenModel

LARGEST_START_BYTES: Final = 16_000_000
"""Bytes of an index or of the start of a file of weights: the index of DeepSeek V3 has 9 million,
the header of a GGUF file with a vocabulary of 262,000 words 12 million."""

INDEX: Final = ".safetensors.index.json"
WEIGHTS: Final = (".gguf", ".safetensors")
CONFIG: Final = ".json"


def is_readable(name: str) -> bool:
    """Return whether a file of this name may describe a model."""
    return name.lower().endswith((*WEIGHTS, CONFIG))


def is_start_enough(name: str) -> bool:
    """Return whether what such a file says of itself stands at its start."""
    return name.lower().endswith(WEIGHTS)


def largest_bytes(name: str) -> int:
    """Return the bytes of a file of this name that are fetched."""
    is_config = name.lower().endswith(CONFIG) and not name.lower().endswith(INDEX)
    return LARGEST_CONFIG_BYTES if is_config else LARGEST_START_BYTES


@dataclass(frozen=True)
class AttachedFile:
    """A file, already fetched; of weights only the start."""

    name: str
    content: bytes

    @property
    def is_config(self) -> bool:
        """Return whether it is a configuration: neither weights nor their index."""
        return largest_bytes(self.name) == LARGEST_CONFIG_BYTES


@dataclass(frozen=True)
class Attachment:
    """The files of one message that describe one model: weights, a configuration, or both."""

    config: AttachedFile | None = None
    weights: AttachedFile | None = None

    @property
    def name(self) -> str:
        """Return the name of the file that the answer is about; weights come first."""
        file = self.weights or self.config
        return file.name if file else ""

    @property
    def reference(self) -> str:
        """Return the word that names the file in the question."""
        return reference_to(self.name)

    def model(self, _name: str) -> GivenModel:
        """Return the model that the files describe; raise CodedError where they do not."""
        if self.weights is None:
            from bot.sources.config import read_config

            return read_config(self.config.content if self.config else b"", self.name)
        return _of_weights(self.weights, self.config)


def attachment_of(files: Iterable[AttachedFile]) -> Attachment:
    """Return the first file of weights and the first configuration of a message."""
    found = tuple(files)
    return Attachment(
        config=next((one for one in found if one.is_config), None),
        weights=next((one for one in found if not one.is_config), None),
    )


def _of_weights(weights: AttachedFile, config: AttachedFile | None) -> GivenModel:
    """Read weights as a file is read, under a name of ours: theirs is no path."""
    from bot.sources.gguf_file import PART, read_gguf
    from bot.sources.safetensors import SHARD
    from bot.sources.weights_files import read_safetensors

    if PART.search(weights.name) or SHARD.search(weights.name):
        raise CodedError("file_in_parts", path=weights.name)
    is_gguf = weights.name.lower().endswith(".gguf")
    suffix = INDEX if weights.name.lower().endswith(INDEX) else ".gguf" if is_gguf else WEIGHTS[1]
    with TemporaryDirectory(prefix="gpusize-") as folder:
        path = Path(folder) / f"model{suffix}"
        path.write_bytes(weights.content)
        if config is not None:
            path.with_name("config.json").write_bytes(config.content)
        try:
            model = read_gguf(path) if is_gguf else read_safetensors(path)
        except CodedError as error:
            raise _told_of(error, weights) from error
    name = weights.name if model.name in {path.name, path.stem} else model.name
    return model.model_copy(update={"source": weights.name, "name": name[:80]})


def _told_of(error: CodedError, weights: AttachedFile) -> CodedError:
    """Return the error about the file as it is called; one cut off by us is said to be too long."""
    if error.code == "file_malformed" and len(weights.content) >= LARGEST_START_BYTES:
        return CodedError("header_too_large", path=weights.name, limit_bytes=LARGEST_START_BYTES)
    if "path" not in error.values:
        return error
    return CodedError(error.code, **{**error.values, "path": weights.name})
