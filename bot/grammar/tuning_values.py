"""Values of the settings of a training run: `method=dpo`, `offload=all`, `optimizer=galore`."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Final, TypeVar

from bot.grammar.atoms import parts_of
from bot.grammar.draft import Draft
from bot.grammar.lexicon import Lexicon
from bot.grammar.tuning_words import (
    AS_LORA,
    ATTENTIONS,
    ENCODERS,
    FFN_MODULES,
    FUSED_STEPS,
    LOSSES,
    METHODS,
    OFFLOADED_ACTIVATIONS,
    OFFLOADS,
    OPTIMIZERS,
    QUERY_VALUE_MODULES,
    SWITCHES,
    TARGETS,
    TUNER_MODES,
    TUNERS,
    ZERO_STAGES,
)
from sizing.errors import InvalidRequestError
from sizing.tuning import AdapterTargets, Encoders, Loss, Optimizer, Tuner

ValueT = TypeVar("ValueT")

ZERO_IN_NAME: Final = re.compile(r"(?:zero|stage)[-_]?([0-3])")
MODULE_ENDS: Final = re.compile(r"(?:.*\.)?(\w+?)(?:[-_]?proj)?$")

SWITCHED: Final = {
    "checkpointing": "checkpointing", "encoder-checkpointing": "encoder_checkpointing",
    "compile": "compiled", "packing": "packed",
    "autocast": "autocast", "in-backward": "step_in_backward", "train-embeddings": "embeddings",
}  # fmt: skip
"""Fields of options that are on or off, by the kind of option."""


class TuningValues:
    """Reads the values of a training run's options, by the kind of option."""

    def __init__(self, lexicon: Lexicon, draft: Draft) -> None:
        self._lexicon = lexicon
        self._draft = draft
        self.by_kind: dict[str, Callable[[str], None]] = {
            "zero": self._zero, "optimizer": self.optimizer, "method": self._method,
            "tuner": self.tuner, "targets": self._targets, "offload": self.offload,
            "encoders": self._encoders, "freeze-encoders": self._freeze_encoders,
            "loss": self._loss, "attention-kernel": self._attention, "framework": self._framework,
            "beside": self._beside, "trained-modules": self._trained_modules,
            **{kind: self._switch(field) for kind, field in SWITCHED.items()},
        }  # fmt: skip

    def _zero(self, value: str) -> None:
        """Read a stage; the name of a configuration file tells it too (`ds_config_zero3.json`)."""
        named = ZERO_IN_NAME.search(value)
        stage = ZERO_STAGES.get(f"zero{named[1]}" if named else value)
        if stage is None:
            raise InvalidRequestError(
                reason="bad_value", word=value, suggestions=("zero=1", "zero=2", "zero=3")
            )
        self._draft.put("zero_stage", stage, value)
        if "offload" in value:
            self._draft.put("offload", OFFLOADS["all" if stage == 3 else "optimizer"], value)

    def optimizer(self, value: str) -> None:
        """Keep an optimizer."""
        name = value.replace("-", "").replace("_", "")
        is_fused = name in FUSED_STEPS
        found = OPTIMIZERS.get(name.removesuffix("layerwise") if is_fused else name)
        if found is None:
            raise _unknown(value, tuple(one.value for one in Optimizer))
        self._draft.put("optimizer", found, value)
        if is_fused:
            self._draft.put("step_in_backward", True, value)  # noqa: FBT003 (a value)

    def _method(self, value: str) -> None:
        found = _known(METHODS, value.replace("_", "-"), "method=dpo", "method=grpo")
        self._draft.put("method", found, value)

    def tuner(self, value: str) -> None:
        """Keep a kind of adapter; one that is a mode of its own is that mode."""
        if value in TUNER_MODES:
            self._draft.modes.setdefault(TUNER_MODES[value], value)
            return
        if value in AS_LORA:
            self._draft.correct(value, "lora")
            value = "lora"
        if value not in TUNERS:
            raise _unknown(value, tuple(f"tuner={one.value}" for one in Tuner)[:4])
        self._draft.put("tuner", TUNERS[value], value)

    def _targets(self, value: str) -> None:
        """Read a set of targets, or names of modules: `q_proj,v_proj`."""
        if value in TARGETS:
            self._draft.put("targets", TARGETS[value], value)
            return
        names = map(MODULE_ENDS.match, value.split(","))
        modules = {name[1] for name in names if name}
        if any(part in module for module in modules for part in FFN_MODULES):
            found = AdapterTargets.ALL_LINEAR
        elif modules <= QUERY_VALUE_MODULES:
            found = AdapterTargets.QUERY_VALUE
        else:
            found = AdapterTargets.ATTENTION
        self._draft.put("targets", found, value)

    def offload(self, value: str) -> None:
        """Keep what stands in host memory."""
        for name in value.split("+"):
            if name in OFFLOADED_ACTIVATIONS:
                self._draft.put("offload_activations", True, value)  # noqa: FBT003 (a value)
            elif SWITCHES.get(name) is not False:
                found = _known(OFFLOADS, name, "offload=kv", "offload=optimizer", "offload=all")
                self._draft.put("offload", found, value)

    def _encoders(self, value: str) -> None:
        self._draft.put("encoders", _known(ENCODERS, value, "encoders=trained"), value)

    def _freeze_encoders(self, value: str) -> None:
        frozen = _known(SWITCHES, value, "freeze-vit=true", "freeze-vit=false")
        self._draft.put("encoders", Encoders.FROZEN if frozen else Encoders.TRAINED, value)

    def _loss(self, value: str) -> None:
        if value in SWITCHES:
            self._draft.put("loss", Loss.FUSED if SWITCHES[value] else Loss.WHOLE, value)
            return
        self._draft.put("loss", _known(LOSSES, value, "loss=fused", "loss=chunked"), value)

    def _attention(self, value: str) -> None:
        known = {**SWITCHES, **ATTENTIONS}
        found = _known(known, value.replace("_", "-"), "flash=on", "flash=off")
        self._draft.put("flash_attention", found, value)

    def _framework(self, value: str) -> None:
        found = self._lexicon.frameworks.find(value)
        if found is None:
            raise _unknown(value, ("framework=transformers", "framework=unsloth"))
        self._draft.put("framework", found, value)

    def _beside(self, value: str) -> None:
        found = self._lexicon.models.find([parts_of(value.rpartition("/")[2])])
        if found is None:
            raise self._lexicon.models.unknown(value)
        self._draft.put("beside", found, value)

    def _trained_modules(self, value: str) -> None:
        """Read modules trained whole beside the adapters: `embed_tokens,lm_head`."""
        if any(part in value for part in ("emb", "lm_head", "lm-head", "wte", "head")):
            self._draft.put("embeddings", True, value)  # noqa: FBT003 (a value)
        else:
            self._draft.ignore(value)

    def _switch(self, field: str) -> Callable[[str], None]:
        def put(value: str) -> None:
            name = field.replace("_", "-")
            self._draft.put(field, _known(SWITCHES, value, f"{name}=on", f"{name}=off"), value)

        return put


def _known(table: Mapping[str, ValueT], value: str, *suggestions: str) -> ValueT:
    """Return the meaning of a word; raise InvalidRequestError with what could be typed."""
    if value not in table:
        raise _unknown(value, suggestions)
    return table[value]


def _unknown(value: str, suggestions: tuple[str, ...]) -> InvalidRequestError:
    return InvalidRequestError(reason="bad_value", word=value, suggestions=suggestions)
