"""The grammar of questions: words of English and Spanish into one request."""
