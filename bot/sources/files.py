"""Read a model from files of this machine.

Each reader is loaded when a file of its kind is read: most questions name none, and the package
for GGUF files needs NumPy.
"""

from __future__ import annotations

from pathlib import Path
from urllib.parse import unquote

from bot.hub_settings import HubSettings
from bot.sources.bounded import LARGEST_CONFIG_BYTES, read_bounded
from bot.sources.hub import hub_reader
from bot.sources.references import Sources
from sizing.records import GivenModel


def terminal_sources(hub: HubSettings | None = None) -> Sources:
    """Return the readers of the terminal."""
    return Sources(file=read_file, hub=hub_reader(hub))


def read_file(name: str) -> GivenModel:
    """Return the model in the file that a reference names; raise CodedError for a bad one."""
    path = Path(unquote(name)).expanduser()
    lower = path.name.lower()
    if lower.endswith(".gguf"):
        from bot.sources.gguf_file import read_gguf

        return read_gguf(path)
    if lower.endswith((".safetensors", ".safetensors.index.json")):
        from bot.sources.weights_files import read_safetensors

        return read_safetensors(path)
    from bot.sources.config import read_config

    return read_config(read_bounded(path, LARGEST_CONFIG_BYTES), path.name)
