"""Settings of a training run: each in every form that people and scripts write."""

import pytest

from bot.grammar.canonical import format_request
from sizing.errors import UnknownModelError
from sizing.request import Mode
from sizing.tuning import (
    AdapterTargets,
    Encoders,
    Loss,
    Method,
    Offload,
    Optimizer,
    Tuner,
    Tuning,
)

FORMS = [
    ("zero_stage", 2, ["lora zero=2", "lora zero2", "full zero stage 2", "qlora --deepspeed zero2",
                       "lora --deepspeed finetune/ds_config_zero2.json"]),
    ("zero_stage", 3, ["full fsdp", "lora deepspeed zero3", "mode=full zero=fsdp"]),
    ("zero_stage", 0, ["lora zero=0", "lora zero=ddp"]),
    ("shard_gpus", 8, ["full shard=8", "full fsdp --hybrid-shard 8"]),
    ("context_parallel", 4, ["full cp=4", "lora --sequence_parallel_size 4", "full ulysses=4"]),
    ("checkpointing", False, ["lora checkpointing=off", "lora --gradient_checkpointing false",
                              "lora sin gradient checkpointing",
                              "lora without gradient checkpointing"]),
    ("checkpointing", True, ["lora checkpointing=sí", "qlora --gradient-checkpointing --eager",
                             "qlora gradient checkpointing"]),
    ("encoder_checkpointing", False, ["full encoder-checkpointing=off",
                                      "full --vit_gradient_checkpointing false"]),
    ("optimizer", Optimizer.ADAMW_8BIT, ["mode=full optimizer=adamw-8bit", "full fsdp optim=8bit",
                                         "lora 8-bit AdamW", "lora --optim adamw_bnb_8bit"]),
    ("optimizer", Optimizer.ADAMW_16BIT, ["lora optimizador=bf16", "lora optim=adamw_16bit"]),
    ("optimizer", Optimizer.PAGED_ADAMW_8BIT, ["lora --optim paged_adamw_8bit",
                                               "full fine-tuning paged AdamW 8bit"]),
    ("optimizer", Optimizer.PAGED_ADAMW, ["qlora optim=paged_adamw_32bit"]),
    ("optimizer", Optimizer.ADAFACTOR, ["full adafactor", "full --optim adafactor"]),
    ("optimizer", Optimizer.LION_8BIT, ["full optimizer=lion-8bit", "full optim=lion_8bit"]),
    ("optimizer", Optimizer.SGD, ["full optimizer=sgd", "full lomo"]),
    ("optimizer", Optimizer.MUON, ["full muon", "full --optimizer dist_muon"]),
    ("optimizer", Optimizer.GALORE, ["full galore", "full optim=galore_adamw",
                                     "full optim=galore_adamw_layerwise"]),
    ("optimizer", Optimizer.Q_GALORE, ["full q-galore", "full optimizer=q-galore"]),
    ("optimizer", Optimizer.APOLLO_MINI, ["full optimizer=apollo-mini"]),
    ("step_in_backward", True, ["full in-backward=on", "full optim=galore_adamw_layerwise",
                                "full lomo", "full --optimizer_in_bwd true",
                                "full optimizer in backward"]),
    ("method", Method.DPO, ["lora DPO", "lora rlhf=dpo", "qlora --rlhf_type dpo"]),
    ("method", Method.KTO, ["full rlhf=kto", "full method=kto", "lora kto"]),
    ("method", Method.PPO, ["full ppo", "full --rlhf_type ppo", "full método=ppo"]),
    ("method", Method.GRPO, ["lora grpo", "lora method=grpo"]),
    ("method", Method.GKD, ["full method=gkd", "full método=destilación"]),
    ("method", Method.REWARD, ["full method=rm", "lora reward model", "lora modelo de recompensa"]),
    ("method", Method.CLASSIFICATION, ["lora --task_type seq_cls"]),
    ("beside", "qwen2.5-14b", ["full gkd teacher=qwen2.5-14b", "full gkd profesor=qwen2.5-14b",
                               "full gkd --teacher_model Qwen/Qwen2.5-14B"]),
    ("tuner", Tuner.DORA, ["dora", "mode=lora tuner=dora", "lora dora"]),
    ("tuner", Tuner.IA3, ["ia3", "lora tuner=ia3"]),
    ("tuner", Tuner.PREFIX, ["lora tuner=prefix", "lora --peft-type prefix-tuning"]),
    ("tuner", Tuner.BADAM, ["badam", "full tuner=badam"]),
    ("tuner", Tuner.FREEZE, ["full tuner=freeze", "full --finetuning_type freeze"]),
    ("tuner", Tuner.LISA, ["full tuner=lisa"]),
    ("trained_layers", 4, ["full tuner=freeze trained-layers=4", "full last 4 layers",
                           "full ultimas 4 capas", "full --freeze_trainable_layers 4"]),
    ("targets", AdapterTargets.QUERY_VALUE, ["lora targets=qv",
                                             "lora --lora_target q_proj,v_proj"]),
    ("targets", AdapterTargets.ATTENTION, ["lora targets=attention",
                                           "lora --target_modules q_proj,k_proj,v_proj,o_proj"]),
    ("targets", AdapterTargets.ALL_LINEAR, ["lora --target_modules all-linear",
                                            "lora objetivos=q_proj,up_proj"]),
    ("embeddings", True, ["lora train-embeddings=on", "lora entrenar-embeddings=sí",
                          "lora --modules_to_save embed_tokens,lm_head"]),
    ("encoders", Encoders.TRAINED, ["full encoders=trained", "full --freeze_vit false",
                                    "full codificadores=entrenados"]),
    ("encoders", Encoders.ADAPTERS, ["lora encoders=adapters"]),
    ("framework", "unsloth", ["lora unsloth", "qlora framework=unsloth"]),
    ("framework", "megatron", ["full megatron", "full framework=megatron-lm"]),
    ("framework", "transformers", ["lora framework=trl", "lora framework=peft"]),
    ("framework", "llama-factory", ["lora llama factory", "lora LLaMA-Factory"]),
    ("offload", Offload.OPTIMIZER, ["full offload=optimizer", "full zero2 cpu offload",
                                    "full descarga=optimizador", "full zero-offload"]),
    ("offload", Offload.ALL, ["full offload=all", "full param offload", "full descarga=todo",
                              "full --deepspeed zero3_offload"]),
    ("offload_activations", True, ["lora offload=activations", "lora activation offloading"]),
    ("offload_fraction", 0.65, ["full offload=optimizer offload-fraction=0.65",
                                "full --optimizer_offload_fraction 0,65"]),
    ("flash_attention", False, ["lora flash=off", "lora --attn_impl eager",
                                "lora sin flash attention"]),
    ("flash_attention", True, ["lora flash=on", "lora flash attention 2",
                               "lora --attn_implementation flash_attention_2"]),
    ("compiled", True, ["lora compile=on", "lora torch.compile", "lora --compile"]),
    ("loss", Loss.FUSED, ["lora liger", "lora --use_liger_kernel true", "lora loss=fused",
                          "lora pérdida=fusionada"]),
    ("loss", Loss.CHUNKED, ["lora loss=chunked"]),
    ("packed", True, ["lora packing", "lora --packing true", "lora empaquetado=sí"]),
    ("autocast", True, ["lora autocast=on", "lora amp=on"]),
    ("rollout_fraction", 0.3, ["lora grpo rollout=0.3",
                               "lora grpo --vllm_gpu_memory_utilization 0.3"]),
    ("run_tokens", 2 * 10**12, ["lora tokens=2t", "full on 2 trillion tokens",
                                "full con 2 billones de tokens", "qlora tokens=2000000000000",
                                "full 2000b tokens", "full con 2.000.000 millones de tokens"]),
    ("run_tokens", 50 * 10**6, ["lora 50M tokens", "lora con 50 millones de tokens"]),
]  # fmt: skip


@pytest.mark.parametrize(
    ("field", "value", "text"),
    [(field, value, text) for field, value, texts in FORMS for text in texts],
)
def test_every_form_of_a_setting(ask, field, value, text):
    """Before the model and behind it, in any form, a setting says the same, and can be repeated."""
    for line in (f"llama-2-13b {text}", f"{text} llama-2-13b"):
        request = ask(line)
        assert getattr(request.tuning, field) == value, line
        assert (request.model_id, request.read_as) == ("llama-2-13b", ())
        assert request.mode is not Mode.INFER
        told = request.model_copy(update={"ignored": (), "model_is_default": False})
        assert ask(format_request(request)).model_copy(update={"model_is_default": False}) == told


@pytest.mark.parametrize("word", ["pissa", "rslora", "olora", "lora+"])
def test_ways_to_start_lora_are_read_as_lora_and_told(ask, word):
    request = ask(f"llama-2-13b {word}")
    assert (request.mode, request.tuning.tuner) == (Mode.LORA, Tuner.LORA)
    assert [(one.typed, one.read_as) for one in request.read_as] == [(word, "lora")]


@pytest.mark.parametrize(
    ("text", "mode"),
    [
        ("dora", Mode.LORA),
        ("qdora", Mode.QLORA),
        ("qlora dora", Mode.QLORA),
        ("badam", Mode.FULL),
        ("--tuner_type full", Mode.FULL),
        ("--tuner_type lora", Mode.LORA),
    ],
)
def test_a_kind_of_training_tells_its_mode(ask, text, mode):
    request = ask(f"llama-2-13b {text}")
    assert (request.mode, request.read_as) == (mode, ())


@pytest.mark.parametrize(
    "text",
    [
        "llama-2-13b --flash-attn on",
        "llama-2-13b cpu offload",
        "llama-2-13b --attention-backend flashinfer",
        "llama-2-13b flash attention",
        "llama-2-13b torch compile",
    ],
)
def test_settings_that_engines_have_too_make_no_training_of_a_question(ask, text):
    request = ask(text)
    assert (request.mode, request.tuning) == (Mode.INFER, Tuning())


def test_a_teacher_that_is_not_in_the_catalogue_is_refused_by_name(grammar):
    with pytest.raises(UnknownModelError):
        grammar.parse("llama-2-13b full gkd teacher=llama-9-99b")
