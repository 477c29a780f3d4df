"""The log as a file: one line for each record, complete enough to be read back."""
