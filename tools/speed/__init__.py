"""Measured speeds: their rows, the fit of data/efficiency.toml, and its held-out score."""
