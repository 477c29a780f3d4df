"""The form for a whole server: two views, and the line of words that they make."""
