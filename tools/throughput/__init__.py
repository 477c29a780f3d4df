"""Measured speeds of pictures, sound and texts: rows, cases, the fit and what it had not seen."""
