"""How the workspace says no: Slack's error codes."""

from __future__ import annotations

from bot.errors import WorkspaceError
from bot.limits import Problem, Surface, find_problems
from bot.workspace.model import Json


class Refusal(WorkspaceError):  # noqa: N818 - it becomes an answer, not a failure
    """Slack's `ok: false` with its error code and, where known, the details."""

    def __init__(self, code: str, details: list[str] | None = None) -> None:
        super().__init__(code)
        self.code = code
        self.details = details or []

    def as_json(self) -> Json:
        """Return the body of the Web API's answer."""
        body: Json = {"ok": False, "error": self.code}
        if self.details:
            body["errors"] = self.details
            body["response_metadata"] = {"messages": [f"[ERROR] {text}" for text in self.details]}
        return body


def refuse_message(payload: Json) -> None:
    """Raise the refusal that fits the first problem of a message, if there is any."""
    problems = find_problems("message", payload)
    if problems:
        raise Refusal(_code(problems[0]), _details(problems))


def refuse_view(content: Json) -> None:
    """Raise `invalid_arguments` when a view has any problem."""
    surface: Surface = "home" if content.get("type") == "home" else "modal"
    problems = find_problems(surface, content)
    if problems:
        raise Refusal("invalid_arguments", _details(problems, prefix="/view"))


def _details(problems: list[Problem], prefix: str = "") -> list[str]:
    return [f"{problem.message} [json-pointer:{prefix}{problem.pointer}]" for problem in problems]


def _code(first: Problem) -> str:
    if first.pointer == "/text":
        return "msg_too_long" if "at most" in first.message else "no_text"
    if first.pointer.startswith("/attachments") or "table block" in first.message:
        return "invalid_attachments"
    return "msg_blocks_too_long" if "text character" in first.message else "invalid_blocks"
