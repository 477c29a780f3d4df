"""What was answered and decided, computed again: changed, with the facts of today, measured."""
