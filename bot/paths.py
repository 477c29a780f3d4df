"""Where the files shipped beside the code are."""

from __future__ import annotations

from pathlib import Path


def templates_dir() -> Path:
    """Return the folder of templates: packaged with the code, else in the checkout's root."""
    packaged = Path(__file__).parent / "templates"
    return packaged if packaged.is_dir() else Path(__file__).parents[1] / "templates"
