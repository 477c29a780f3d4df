"""Size GPUs for a model: pure functions over frozen values."""

__version__ = "0.1.0"
