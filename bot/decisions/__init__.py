"""Decisions: what a proposal to buy goes through, from its draft to what replaces it."""
