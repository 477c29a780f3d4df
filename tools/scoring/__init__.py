"""Scores of the engine against published figures, one kind of figure a module."""
