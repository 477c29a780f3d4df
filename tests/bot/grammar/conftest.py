"""One grammar over the real catalogue for all tests of this folder."""

import pytest

from bot.command import Ask, Grammar


@pytest.fixture(scope="session")
def grammar(catalogue):
    return Grammar(catalogue)


@pytest.fixture(scope="session")
def ask(grammar):
    """Return a function from a line to its request."""

    def read(text):
        command = grammar.parse(text)
        assert isinstance(command, Ask), f"{text!r} is no question: {command}"
        return command.request

    return read
