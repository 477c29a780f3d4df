"""Questions as people really wrote them, with what each one means written down by hand."""

import json
from pathlib import Path

import pytest

from bot.command import Ask, AskChecklist, Empty, Grammar, Power
from sizing.errors import SizingError

HERE = Path(__file__).parent
PLAIN = (
    "attention", "precision", "kv_precision", "engine", "context_tokens", "input_tokens",
    "output_tokens", "concurrent_requests", "memory_fraction", "tensor_parallel", "host_ram_gb",
    "adapters", "max_gpus", "mixed_gpus", "model_is_default", "width_pixels", "height_pixels",
    "frames", "seconds",
)  # fmt: skip


def _lines(name):
    return [json.loads(line) for line in (HERE / name).read_text(encoding="utf-8").splitlines()]


def _gpu(choice):
    name = choice.gpu or f"{choice.memory_gb:g}gb"
    return f"{choice.count}x{name}" if choice.count else name


def _said(request):
    """Return what was understood, without what was left open."""
    said = {name: getattr(request, name) for name in PLAIN if getattr(request, name)}
    said |= {"model": request.model_id} if request.model_id else {}
    said |= {"parameters": request.parameters} if request.parameters else {}
    said |= {"goal": request.goal.value} if request.goal.value != "size" else {}
    said |= {"mode": request.mode.value} if request.mode.value != "infer" else {}
    said |= {"gpus": [_gpu(choice) for choice in request.gpus]} if request.gpus else {}
    said |= {"read_as": [one.read_as for one in request.read_as]} if request.read_as else {}
    return said


def _refusal(error, expected):
    named = {"error": error.code} | error.values
    named |= {"suggestions": list(error.values.get("suggestions", ()))}
    return {key: named.get(key) for key in expected}


@pytest.mark.parametrize("case", _lines("questions.jsonl"), ids=lambda case: case["id"])
def test_real_question(grammar, case):
    """Each is understood with every detail, or refused with the word at fault."""
    expected = case["expect"]
    if "error" in expected:
        with pytest.raises(SizingError) as caught:
            grammar.parse(case["text"])
        assert _refusal(caught.value, expected) == expected
    elif "checklist" in expected:
        command = grammar.parse(case["text"])
        assert isinstance(command, AskChecklist)
        assert command.language == expected["checklist"]
    elif "power" in expected:
        command = grammar.parse(case["text"])
        assert isinstance(command, Power)
        told = command.question.model_dump(mode="json", exclude_defaults=True)
        assert told == expected["power"]
    else:
        command = grammar.parse(case["text"])
        assert isinstance(command, Ask)
        assert _said(command.request) == expected


def _reading(grammar: Grammar, text):
    """Return request and error of a line; an incomplete question still says what it understood."""
    try:
        command = grammar.parse(text)
    except SizingError as error:
        return getattr(error, "partial", None), error
    return (command.request, None) if isinstance(command, Ask) else (None, None)


class TestVariants:
    """Twenty ways to write a size, a count or a name."""

    cases = _lines("variants.jsonl")
    parameters_by_id = pytest.mark.parametrize("case", cases, ids=lambda case: case["id"])

    def test_there_are_twenty(self):
        assert len(self.cases) == 20

    @parameters_by_id
    def test_variant(self, grammar, catalogue, case):
        request, error = _reading(grammar, case["bot_input"])
        for key, value in case["expect"].items():
            check = getattr(self, f"_check_{key.lower()}")
            check(value, request=request, error=error, catalogue=catalogue, text=case["bot_input"])

    def _record(self, request, catalogue):
        return catalogue.models[request.model_id]

    def _check_params_b(self, value, *, request, catalogue, **_):
        """A size in the text is within 10 % of what was understood."""
        parameters = request.parameters or self._record(request, catalogue).published_parameters
        assert parameters == pytest.approx(value * 1e9, rel=0.1)

    def _check_total_b(self, value, **rest):
        self._check_params_b(value, **rest)

    def _check_active_b(self, value, *, request, catalogue, **_):
        assert f"a{value}b" in self._record(request, catalogue).id

    def _check_model(self, value, *, request, catalogue, **_):
        assert value in {request.model_id, *self._record(request, catalogue).aliases}

    def _check_precision(self, value, *, request, **_):
        assert request.precision == value

    def _check_context(self, value, *, request, **_):
        assert request.context_tokens == value

    def _check_users(self, value, *, request, **_):
        assert request.concurrent_requests == value

    def _check_gpus(self, value, *, request, **_):
        assert [choice.count for choice in request.gpus] == [value]

    def _check_gpu(self, value, *, request, catalogue, **_):
        assert catalogue.gpus[request.gpus[0].gpu].name.startswith(value)

    def _check_budget(self, value, *, request, **_):
        assert request.budget_usd == value

    def _check_gbps(self, value, *, request, **_):
        assert request.network_gbps == value

    def _check_ambiguous(self, value, *, error, **_):
        assert error.code == "ambiguous_gpu"

    def _check_unknown_model(self, value, *, error, **_):
        assert (error.code, error.word) == ("unknown_model", "foo-bar-9000")

    def _check_empty(self, value, *, request, error, text, **_):
        assert (request, error) == (None, None)
        assert text == ""

    def _check_reject_precision(self, value, *, error, **_):
        assert (error.code, error.word) == ("unknown_precision", "fp3")

    def _check_reject(self, value, *, error, **_):
        assert error.values == {"reason": "not_positive", "word": "0 usuarios"}


def test_empty_text_is_no_error(grammar):
    assert isinstance(grammar.parse("  \n"), Empty)
    assert isinstance(grammar.parse("/gpusize"), Empty)
