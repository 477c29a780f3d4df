"""Read what the environment says about the Hugging Face Hub."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

HUB_CHOICES = ("on", "off")
"""Values of `GPUSIZE_HUB`."""


@dataclass(frozen=True)
class HubSettings:
    """How models are looked up on the Hub."""

    cache: Path
    """Folder that what was fetched is kept in."""

    endpoint: str | None = None
    """Address of the Hub, where it is not the public one."""

    sends_token: bool = False
    """Whether the user's token goes along, which opens gated and private repositories."""


def hub_settings(
    environ: Mapping[str, str], *, is_default: bool, sends_token: bool = False
) -> HubSettings | None:
    """Return the settings; None where `GPUSIZE_HUB` or, without it, the default is off."""
    wanted = environ.get("GPUSIZE_HUB", "").strip().lower()
    if wanted == "off" or not (wanted or is_default):
        return None
    endpoint = environ.get("HF_ENDPOINT", "").strip().rstrip("/") or None
    return HubSettings(_cache(environ), endpoint, sends_token)


def _cache(environ: Mapping[str, str]) -> Path:
    """Return `GPUSIZE_CACHE`, else `gpusize` among the user's caches."""
    named = environ.get("GPUSIZE_CACHE", "").strip()
    if named:
        return Path(named).expanduser().absolute()
    caches = Path(environ.get("XDG_CACHE_HOME", "").strip())
    # The XDG rules ignore a relative folder.
    if not caches.is_absolute():
        caches = Path(environ.get("HOME", "").strip() or Path.home()) / ".cache"
    return caches / "gpusize"
