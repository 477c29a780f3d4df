from __future__ import annotations

import json

import pytest

from bot.contract import (
    error_contract,
    gpus_contract,
    history_contract,
    models_contract,
    reply_contract,
    to_contract,
)
from bot.errors import CodedError
from bot.labels import Labels
from bot.messages import load_messages
from bot.reply import Listing, Reply, ReplyKind
from sizing.errors import InvalidRequestError, UnknownModelError

KEYS = {
    "": "schema answer_id understood memory options start second_opinion training host storage "
    "power cost checklist nim warnings assumptions catalogue",
    "understood": "model model_id kind parameters active_parameters precision bits_per_weight "
    "kv_precision engine mode context_tokens input_tokens output_tokens concurrent_requests "
    "requests_per_s memory_fraction tensor_parallel pipeline_parallel expert_parallel gpus targets "
    "budget_usd network_gbps power_limit_w read_as",
    "understood.targets": "ttft_ms itl_ms tokens_per_s",
    "memory": "weights_bytes kv_bytes_per_token kv_bytes_fixed_per_request kv_cache_bytes "
    "adapter_bytes activation_bytes runtime_bytes total_bytes total_low_bytes total_high_bytes "
    "rule_20_percent_bytes rule_25_percent_bytes",
    "options.0": "gpu gpus nodes replicas tensor_parallel pipeline_parallel expert_parallel "
    "verdict per_gpu kv_pool_tokens max_context_tokens max_concurrent_requests "
    "minimum_memory_fraction mig_profile performance power_w price reasons",
    "options.0.per_gpu": "usable_bytes budget_bytes weights_bytes kv_pool_bytes activation_bytes "
    "runtime_bytes reserved_bytes free_bytes",
    "options.0.reasons.0": "code text",
    "warnings.0": "code text",
    "assumptions.0": "code text",
    "catalogue": "version date digest",
}
"""Keys of the contract by place; further keys may be added, none may go."""


@pytest.fixture
def messages(catalogue, language):
    return load_messages(language, Labels(catalogue))


def _at(contract, place):
    for step in filter(None, place.split(".")):
        contract = contract[int(step)] if step.isdigit() else contract[step]
    return contract


@pytest.mark.parametrize("place", KEYS)
def test_every_key_of_the_contract_is_there(samples, messages, place):
    contract = to_contract(samples["tight"], messages)
    assert set(KEYS[place].split()) <= _at(contract, place).keys()


def test_contract_is_json_and_nothing_is_left_out(sample, messages):
    contract = json.loads(json.dumps(to_contract(sample, messages)))
    assert contract["schema"] == "gpusize/1"
    assert set(KEYS[""].split()) == contract.keys()
    for option in contract["options"]:
        assert set(KEYS["options.0"].split()) <= option.keys()


def test_asked_gpus_and_corrections(samples, messages):
    asked = to_contract(samples["several_gpus"], messages)["understood"]
    assert asked["gpus"] == [
        {"gpu": "h100-sxm", "memory_gb": None, "count": 4, "mig_profile": None}
    ]
    fits = to_contract(samples["fits"], messages)["understood"]
    assert fits["gpus"] is None
    assert fits["read_as"] == [{"typed": "lama-13b", "read_as": "llama-13b"}]


def test_unknown_is_null(samples, messages):
    contract = to_contract(samples["unsupported_architecture"], messages)
    assert contract["options"] == []
    assert contract["memory"]["total_bytes"] is None
    assert contract["memory"]["weights_bytes"] == 672_900_000_000
    unsupported = to_contract(samples["unsupported_precision"], messages)["options"][0]
    assert (unsupported["verdict"], unsupported["per_gpu"]) == ("unsupported", None)


def test_notes_are_sentences_in_plain_text(samples, catalogue):
    spanish = to_contract(samples["fits"], load_messages("es", Labels(catalogue)))
    assert spanish["assumptions"][0] == {
        "code": "read_as",
        "text": "«lama-13b» se interpretó como «llama-13b».",
    }


def test_error_says_word_and_suggestions():
    error = UnknownModelError(word="foo_*", suggestions=("llama-2-13b", "llama-13b"))
    assert error_contract(error, load_messages("en")) == {
        "schema": "gpusize/1",
        "error": {
            "code": "unknown_model",
            "text": "I don't know the model “foo_*”. Did you mean `llama-2-13b` or `llama-13b`?",
            "word": "foo_*",
            "suggestions": ["llama-2-13b", "llama-13b"],
        },
    }


def test_error_of_a_bad_request_is_named_by_its_reason():
    error = InvalidRequestError(reason="not_positive", word="users=0")
    found = error_contract(error, load_messages("es"))["error"]
    assert (found["code"], found["word"], found["suggestions"]) == ("not_positive", "users=0", [])
    coded = error_contract(CodedError("log_busy", path="a.db"), load_messages("es"))["error"]
    assert (coded["code"], coded["word"]) == ("log_busy", None)


def test_each_kind_of_reply_has_an_object(samples, messages, catalogue):
    common = {"kind": ReplyKind.ANSWER, "markdown": "text", "language": "en"}
    answer = reply_contract(Reply(**common, answer=samples["fits"], answer_id="A-12"), messages)
    assert answer["understood"]["model"] == "Llama 2 13B"
    assert answer["answer_id"] == "A-12"
    assert to_contract(samples["fits"], messages)["answer_id"] is None
    error = reply_contract(Reply(**common, error=CodedError("log_busy", path="a")), messages)
    assert error["error"]["code"] == "log_busy"
    data = models_contract(catalogue.models.values())
    models = reply_contract(Reply(**common, data=data), messages)
    assert [model["id"] for model in models["models"]] == ["llama-2-13b", "llama-13b"]
    assert reply_contract(Reply(**common), messages) == {"schema": "gpusize/1", "text": "text"}


def test_lists_are_json(catalogue):
    gpus = json.loads(json.dumps(gpus_contract(catalogue.gpus.values())))["gpus"]
    assert gpus[3]["id"] == "l4"
    assert gpus[3]["checked"] == "2026-11-28"
    assert history_contract(Listing()) == {"answers": [], "not_shown": 0}
