"""Start commands: options that exist, values of the answer, words a shell and a cluster read."""

from __future__ import annotations

import ast
import re
import shlex
import subprocess
import tomllib
from dataclasses import replace
from pathlib import Path

import pytest
import yaml
from syrupy.extensions.single_file import SingleFileSnapshotExtension, WriteMode

from bot.blocks import to_message
from bot.command import parse
from bot.contract import to_contract
from bot.labels import Labels
from bot.launch import plan_of
from bot.limits import assert_valid
from bot.messages import MessageError, load_messages
from bot.mrkdwn import CUT
from bot.render import Renderer
from bot.reply import Reply, ReplyKind
from bot.start import _environment, _rendered, starts_of
from sizing.engine import size

FLAGS = tomllib.loads((Path(__file__).parent / "flags.toml").read_text(encoding="utf-8"))
QUESTIONS = (
    "llama 3.1 70b fp8 gpu=4xh100 ctx=8k users=32",
    "llama 3.1 70b fp8 gpu=4xh100 kv=fp8 batched=16384 eager loras=4 rank=32",
    "llama 3.1 405b bf16 gpu=16xh100 users=3",
    "llama 3.1 8b fp16 gpu=mi300x",
    "llama 3.1 8b q4_k_m engine=vllm gpu=4090",
    "llama 3.1 70b fp8 engine=sglang gpu=4xh100 kv=fp8 users=16 batched=4096 eager",
    "llama 3.1 405b bf16 engine=sglang gpu=16xh100",
    "llama 3.1 70b fp8 engine=trtllm gpu=4xh100 kv=fp8 users=16 batched=4096",
    "llama 3.1 405b bf16 engine=trtllm gpu=16xh100",
    "llama 3.1 70b engine=nim gpu=4xh100 kv=fp8 users=16 batched=4096 eager",
    "llama 3.1 8b fp8 engine=tgi gpu=l40s kv=fp8 users=8 batched=4096 eager",
    "llama 3.1 70b engine=tgi gpu=2xmi300x",
    "llama 3.1 70b awq engine=lmdeploy gpu=2xa100 kv=int8 users=8 batched=4096 eager",
    "llama 3.1 70b q4_k_m gpu=2xl40s kv=q8_0 users=4 batched=1024",
    "llama 3.1 8b bnb-nf4 engine=transformers gpu=4090 users=4",
    "deepseek r1 gpu=8xh200 dp=8 ep=8 users=64",
    "deepseek r1 engine=sglang gpu=8xh200 dp=8 ep=8",
    "deepseek r1 engine=trtllm gpu=8xh200 dp=8 ep=8",
    "deepseek r1 engine=nim gpu=8xh200 ep=8",
    "13b int8",
    "llama 3.1 8b mlx-4bit gpu=m3-ultra",
    "llama 3.1 70b q4_k_m gpu=1x4090+1x3090",
    "llama 3.1 70b fp8 gpu=4xh100 ctx=8k users=32 kv_host=64",
    "llama 3.1 70b fp8 engine=sglang gpu=4xh100 kv=fp8 kv_host=64",
    "llama 3.1 70b fp8 engine=trtllm gpu=4xh100 kv=fp8 kv_host=64",
    "deepseek r1 engine=trtllm gpu=8xh200 dp=8 ep=8 kv_host=64",
    "llama 3.1 70b engine=nim gpu=1xh200 fp8 kv_host=64",
    "llama 3.1 8b q8_0 gpu=1xt4 ctx=128k kv=host",
    "llama 3.1 8b fp16 gpu=1x4090 ctx=64k engine=transformers kv=host",
    "llama 3.1 405b bf16 gpu=16xh100 kv_host=512",
)
HOST = {
    "vllm": 22, "sglang": 23, "trtllm": 24, "dp": 25, "nim": 26, "llamacpp": 27,
    "transformers": 28, "servers": 29,
}  # fmt: skip
"""Questions that ask for KV cache in host memory."""


@pytest.fixture(scope="module")
def started(catalogue):
    def do(text):
        answer = size(parse(text, catalogue).request, catalogue)
        return answer, starts_of(answer, catalogue)

    return do


def _text(starts, kind):
    return next(item.text for item in starts.items if item.kind == kind)


def _commands(text):
    """Return the words of each command, as a shell would split them."""
    lines = re.sub(r" \\\n\s*", " ", text).splitlines()
    return [words for line in lines if (words := shlex.split(line, comments=True))]


def _options(words):
    """Return each option with the word behind it."""
    pairs = zip(words, [*words[1:], ""], strict=True)
    return {word: after for word, after in pairs if re.match(r"--?[A-Za-z]", word)}


def _text_of(block):
    return block["text"]["text"] if "text" in block else ""


def _shell_items(starts):
    return [item for item in starts.items if item.kind in FLAGS]


@pytest.mark.parametrize("question", QUESTIONS)
def test_only_documented_options(started, question):
    _, starts = started(question)
    for item in _shell_items(starts):
        words = [word for command in _commands(item.text) for word in command]
        inside = [part for word in words if word.startswith("NIM_") for part in word.split()]
        used = {word.partition("=")[0] for word in [*words, *inside] if re.match(r"--?[a-z]", word)}
        assert used <= set(FLAGS[item.kind]["flags"]), item.kind


def test_every_engine_has_a_command_and_a_table(catalogue):
    assert {engine.id for engine in catalogue.engines.values() if engine.launch} == (
        FLAGS.keys() - {"ollama"} | {"transformers"}
    )
    assert all(table["source"] for table in FLAGS.values())


def test_vllm_says_what_the_answer_says(started):
    """4 x H100, 32 requests of 8,192 tokens, 16-bit checkpoint quantised while loading."""
    answer, starts = started(QUESTIONS[0])
    (words,) = _commands(_text(starts, "vllm"))
    assert words[:3] == ["vllm", "serve", "meta-llama/Llama-3.1-70B-Instruct"]
    assert _options(words) == {
        "--quantization": "fp8",
        "--tensor-parallel-size": "4",
        "--max-model-len": str(answer.understood.context_tokens),
        "--gpu-memory-utilization": "0.9",
        "--max-num-seqs": "32",
    }


def test_vllm_says_all_that_was_asked(started):
    _, starts = started(QUESTIONS[1])
    (words,) = _commands(_text(starts, "vllm"))
    assert (
        _options(words).items()
        >= {
            "--kv-cache-dtype": "fp8",
            "--max-num-batched-tokens": "16384",
            "--max-loras": "4",
            "--max-lora-rank": "32",
        }.items()
    )
    assert {"--enforce-eager", "--enable-lora"} <= set(words)


def test_one_command_for_each_server(started):
    """16 H100 are two servers: tensor parallel 8 in each, two pipeline stages."""
    _, starts = started(QUESTIONS[2])
    first, second = _commands(_text(starts, "vllm"))
    shared = {"--nnodes": "2", "--master-addr": "$HEAD_NODE_IP", "--tensor-parallel-size": "8"}
    for rank, words in enumerate((first, second)):
        expected = {**shared, "--pipeline-parallel-size": "2", "--node-rank": str(rank)}
        assert _options(words).items() >= expected.items()
    assert "--headless" not in first
    assert "--headless" in second
    assert "start_servers" in {note.code for note in starts.notes}


@pytest.mark.parametrize(
    ("question", "kind", "options"),
    [
        # 64 requests over 8 copies of the attention: 8 each.
        (
            15,
            "vllm",
            {"--tensor-parallel-size": "1", "--data-parallel-size": "8", "--max-num-seqs": "8"},
        ),
        (16, "sglang", {"--tp": "8", "--dp-size": "8", "--ep-size": "8"}),
        (
            17,
            "trtllm",
            {"--tp_size": "8", "--ep_size": "8", "--extra_llm_api_options": "trtllm.yaml"},
        ),
    ],
)
def test_experts_whole_and_attention_copied(started, question, kind, options):
    """DeepSeek-R1 on 8 H200, the attention on each of them, 32 of 256 experts on each."""
    _, starts = started(QUESTIONS[question])
    words = _commands(_text(starts, kind))[-1]
    assert _options(words).items() >= options.items()


def test_a_group_of_pods_numbers_itself(started):
    answer, starts = started(QUESTIONS[2])
    group, service = yaml.safe_load_all(_text(starts, "kubernetes"))
    template = group["spec"]["leaderWorkerTemplate"]
    assert template["size"] == answer.options[0].nodes == 2
    leader, worker = (
        template[role]["spec"]["containers"][0] for role in ("leaderTemplate", "workerTemplate")
    )
    for pod in (leader, worker):
        assert pod["resources"]["limits"] == {"nvidia.com/gpu": 8}
        assert _options(pod["command"])["--node-rank"] == "$(LWS_WORKER_INDEX)"
        assert _options(pod["command"])["--master-addr"] == "$(LWS_LEADER_ADDRESS)"
    assert "--headless" not in leader["command"]
    assert worker["command"] == [*leader["command"], "--headless"]
    labels = template["leaderTemplate"]["metadata"]["labels"]
    assert labels.items() <= service["spec"]["selector"].items()


def test_a_manifest_runs_the_same_command(started):
    answer, starts = started(QUESTIONS[0])
    deployment, service = yaml.safe_load_all(_text(starts, "kubernetes"))
    pod = deployment["spec"]["template"]
    (container,) = pod["spec"]["containers"]
    (words,) = _commands(_text(starts, "vllm"))
    assert container["command"] == words
    assert container["resources"]["limits"] == {"nvidia.com/gpu": answer.options[0].gpus}
    assert deployment["spec"]["replicas"] == 1
    assert pod["spec"]["volumes"][0]["emptyDir"]["medium"] == "Memory"
    assert container["volumeMounts"][0]["mountPath"].endswith("shm")
    assert service["spec"]["selector"] == pod["metadata"]["labels"]
    assert service["spec"]["ports"][0]["targetPort"] == container["ports"][0]["containerPort"]


def test_copies_become_replicas_of_the_manifest(started):
    """2,000 requests of 8,192 tokens take 2.1 TB of cache: more than one server of H100 has."""
    answer, starts = started("llama 3.1 8b fp8 gpu=h100 ctx=8k users=2000")
    option = starts.option
    assert option.replicas > 1
    deployment, _ = yaml.safe_load_all(_text(starts, "kubernetes"))
    assert deployment["spec"]["replicas"] == option.replicas
    (words,) = _commands(_text(starts, "vllm"))
    in_flight = -(-answer.understood.concurrent_requests // option.replicas)
    assert _options(words)["--max-num-seqs"] == str(in_flight)
    assert "start_copies" in {note.code for note in starts.notes}


@pytest.mark.parametrize("question", QUESTIONS)
def test_manifests_parse_and_count_the_gpus(started, question):
    _, starts = started(question)
    for item in starts.items:
        if item.kind == "kubernetes":
            workload, service = yaml.safe_load_all(item.text)
            assert workload["kind"] in {"Deployment", "LeaderWorkerSet"}
            assert service["kind"] == "Service"
            per_copy = starts.option.gpus // starts.option.replicas
            counted = re.findall(r'"(?:nvidia|amd)\.com/gpu": (\d+)', item.text)
            assert sum(map(int, counted)) == per_copy


@pytest.mark.parametrize("question", QUESTIONS)
@pytest.mark.parametrize("language", ["en", "es"])
def test_pages_stay_whole_in_slack(catalogue, started, question, language):
    answer, starts = started(question)
    page = Renderer(catalogue).start(answer, starts, language, "A-1")
    message = to_message(Reply(ReplyKind.START, page, language, summary="One sentence."))
    assert_valid("message", message)
    assert CUT.strip() not in str(message)
    shown = "".join(map(_text_of, message["blocks"]))
    for item in starts.items:
        lines = item.text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
        assert lines.strip() in shown


def test_amd_cards_have_their_own_image_and_resource(started):
    _, starts = started(QUESTIONS[3])
    deployment, _ = yaml.safe_load_all(_text(starts, "kubernetes"))
    (container,) = deployment["spec"]["template"]["spec"]["containers"]
    assert container["image"] == "vllm/vllm-openai-rocm:latest"
    assert container["resources"]["limits"] == {"amd.com/gpu": 1}
    assert "--device" in _text(started("llama 3.1 70b engine=tgi gpu=2xmi300x")[1], "tgi")


def test_a_slice_is_counted_by_its_profile(started):
    _, starts = started("llama 3.1 8b fp8 gpu=h100:3g.40gb")
    assert '"nvidia.com/mig-3g.40gb": 1' in _text(starts, "kubernetes")


def test_nim_gets_its_options_in_one_variable(started):
    _, starts = started(QUESTIONS[9])
    login, run = _commands(_text(starts, "nim"))
    assert "docker" in login
    assert _options(run)["--gpus"] == "4"
    assert _options(run)["--shm-size"] == "16GB"
    assert run[-1] == "nvcr.io/nim/meta/llama-3.1-70b-instruct:latest"
    (variable,) = [word for word in run if word.startswith("NIM_PASSTHROUGH_ARGS=")]
    words = shlex.split(variable.partition("=")[2])
    assert _options(words) == {
        "--tensor-parallel-size": "4",
        "--max-model-len": "4096",
        "--gpu-memory-utilization": "0.9",
        "--kv-cache-dtype": "fp8",
        "--max-num-seqs": "16",
        "--max-num-batched-tokens": "4096",
        "--enforce-eager": "",
    }
    deployment, _ = yaml.safe_load_all(_text(starts, "kubernetes"))
    (container,) = deployment["spec"]["template"]["spec"]["containers"]
    environment = {entry["name"]: entry.get("value") for entry in container["env"]}
    assert environment["NIM_PASSTHROUGH_ARGS"] == variable.partition("=")[2]


def test_llamacpp_reserves_the_cache_of_all_slots(started):
    """4 slots of 4,096 tokens: -c 16384; every layer in GPU memory."""
    answer, starts = started(QUESTIONS[13])
    (words,) = _commands(_text(starts, "llamacpp"))
    assert answer.understood.context_tokens == 4096
    assert _options(words) == {
        "-m": "/models/Llama-3.1-70B-Instruct-Q4_K_M.gguf",
        "-ngl": "99",
        "-c": "16384",
        "-np": "4",
        "-fa": "on",
        "-ctk": "q8_0",
        "-ctv": "q8_0",
        "--split-mode": "layer",
        "-b": "1024",
        "-ub": "1024",
    }
    assert "OLLAMA_CONTEXT_LENGTH=4096 OLLAMA_NUM_PARALLEL=4" in _text(starts, "ollama")
    assert "OLLAMA_KV_CACHE_TYPE=q8_0" in _text(starts, "ollama")


def test_unequal_cards_share_the_layers_by_memory(started):
    """24 GB each: 80 layers are shared out evenly, and said so."""
    _, starts = started("llama 3.1 70b q4_k_m gpu=1x4090+1x3090")
    (words,) = _commands(_text(starts, "llamacpp"))
    assert _options(words)["--tensor-split"] == "40,40"
    assert "kubernetes" not in {item.kind for item in starts.items}


def test_more_than_99_layers_are_named(started):
    """Llama 3.1 405B has 126 layers, and the output layer counts too."""
    _, starts = started("llama 3.1 405b q4_k_m gpu=8xh100")
    (words,) = _commands(_text(starts, "llamacpp"))
    assert _options(words)["-ngl"] == "127"


def test_transformers_gets_a_program(started):
    _, starts = started(QUESTIONS[14])
    program = _text(starts, "transformers")
    ast.parse(program)
    assert "BitsAndBytesConfig(**{'load_in_4bit': True})" in program
    assert "max_length=4096" in program
    assert [item.kind for item in starts.items] == ["transformers"]


@pytest.mark.parametrize(
    ("name", "kind", "options"),
    [
        (
            "vllm",
            "vllm",
            {"--kv-offloading-backend": "native", "--kv-offloading-size": "64"},
        ),
        # 64 GiB are 68.7 GB: 17 for each of four GPUs, in whole GB.
        ("sglang", "sglang", {"--enable-hierarchical-cache": "--hicache-size"}),
        ("sglang", "sglang", {"--hicache-size": "17"}),
        ("trtllm", "trtllm", {"--extra_llm_api_options": "trtllm.yaml"}),
        ("llamacpp", "llamacpp", {"--no-kv-offload": "", "-ngl": "99", "-c": "131072"}),
    ],
)
def test_cache_in_host_memory_in_the_words_of_the_engine(started, name, kind, options):
    _, starts = started(QUESTIONS[HOST[name]])
    words = _commands(_text(starts, kind))[-1]
    assert _options(words).items() >= options.items()


@pytest.mark.parametrize(
    ("name", "settings"),
    [
        ("trtllm", {"kv_cache_config": {"dtype": "fp8", "host_cache_size": 16 * 2**30}}),
        ("dp", {"kv_cache_config": {"host_cache_size": 8 * 2**30}, "enable_attention_dp": True}),
    ],
)
def test_trtllm_reads_its_share_from_a_file(started, tmp_path, name, settings):
    """64 GiB over four GPUs and over eight, run by a shell up to the engine's own command."""
    _, starts = started(QUESTIONS[HOST[name]])
    script = _text(starts, "trtllm").partition("trtllm-serve")[0]
    subprocess.run(["sh", "-ec", script], cwd=tmp_path, check=True)
    assert yaml.safe_load((tmp_path / "trtllm.yaml").read_text(encoding="utf-8")) == settings


def test_a_container_has_the_shared_memory_that_the_cache_takes(started):
    """64 GiB beside the 16 of the processes; over two servers half of 512 in each."""
    _, nim = started(QUESTIONS[HOST["nim"]])
    _, run = _commands(_text(nim, "nim"))
    assert _options(run)["--shm-size"] == "80GB"
    assert "--kv-offloading-size 64" in next(word for word in run if "PASSTHROUGH" in word)
    for name, kind, limits in (
        ("nim", "Deployment", ["80Gi"]),
        ("vllm", "Deployment", ["80Gi"]),
        ("servers", "LeaderWorkerSet", ["272Gi", "272Gi"]),
        ("sglang", "Deployment", ["16Gi"]),
    ):
        _, starts = started(QUESTIONS[HOST[name]])
        manifest = _text(starts, "kubernetes")
        assert next(yaml.safe_load_all(manifest))["kind"] == kind
        assert re.findall(r"sizeLimit: (\w+)", manifest) == limits
        told = [note.values for note in starts.notes if note.code == "start_shared_memory"]
        sizes = [int(limit.removesuffix("Gi")) - 16 for limit in limits[:1]]
        assert told == [{"size_bytes": size * 2**30} for size in sizes if size]


def test_ollama_has_no_such_option(started):
    _, starts = started(QUESTIONS[HOST["llamacpp"]])
    assert [item.kind for item in starts.items] == ["llamacpp"]
    assert "start_without_ollama" in {note.code for note in starts.notes}


def test_transformers_is_told_where_it_generates(started):
    answer, starts = started(QUESTIONS[HOST["transformers"]])
    program = _text(starts, "transformers")
    ast.parse(program)
    assert answer.options[0].host_cache.setting in program


def test_a_format_nobody_published_is_a_path_to_fill(started):
    _, starts = started(QUESTIONS[12])
    assert "/models/Llama-3.1-70B-Instruct-AWQ" in _text(starts, "lmdeploy")
    assert [note.code for note in starts.notes] == ["start_checkpoint"]
    deployment, _ = yaml.safe_load_all(_text(starts, "kubernetes"))
    volumes = deployment["spec"]["template"]["spec"]["volumes"]
    assert {"name": "models", "persistentVolumeClaim": {"claimName": "models"}} in volumes


def test_a_bare_size_leaves_the_name_open(started):
    _, starts = started("13b int8")
    assert "ORGANISATION/MODEL" in _text(starts, "vllm")
    assert [note.code for note in starts.notes] == ["start_unnamed"]


def test_a_published_checkpoint_is_named(started):
    _, starts = started("deepseek v4 flash nvfp4 gpu=8xb200")
    assert "vllm serve nvidia/DeepSeek-V4-Flash-NVFP4" in _text(starts, "vllm")
    assert starts.notes == ()


def test_the_checkpoint_that_was_named_is_started(started):
    answer, starts = started("Inferact/Qwen3.8-27B-NVFP4 gpu=1xb200")
    assert "vllm serve Inferact/Qwen3.8-27B-NVFP4" in _text(starts, "vllm")
    assert answer.understood.checkpoint == "Inferact/Qwen3.8-27B-NVFP4"
    _, unnamed = started("qwen3.8-27b nvfp4 gpu=1xb200")
    assert "vllm serve nvidia/Qwen3.8-27B-NVFP4" in _text(unnamed, "vllm")


@pytest.mark.parametrize(
    ("source", "path", "codes"),
    [
        ("hf:someone/Tuned-8B", "someone/Tuned-8B", []),
        ("config.json", "/models/tuned-8b", ["start_given"]),
        ("hf:a/b; rm -rf x", "a/b; rm -rf x", []),
    ],
)
def test_a_model_of_a_file_has_its_folder(catalogue, started, source, path, codes):
    answer, _ = started("llama 3.1 8b gpu=l40s")
    named = {"model": "Tuned 8B", "model_id": None, "source": source}
    understood = answer.understood.model_copy(update=named)
    given = answer.model_copy(update={"understood": understood})
    found = starts_of(given, catalogue)
    assert _commands(_text(found, "vllm"))[0][2] == path
    assert [note.code for note in found.notes] == codes


def test_names_of_other_people_stay_one_word(catalogue, started):
    answer, starts = started(QUESTIONS[0])
    plan = plan_of(answer, starts.option, catalogue)
    path = "x'; rm -rf ~ #$(id)"
    hostile = replace(plan, checkpoint=replace(plan.checkpoint, path=path))
    (words,) = _commands(_rendered("vllm.sh.j2", plan=hostile))
    assert words[2] == path


@pytest.mark.parametrize("source", ["{{ value }}", "{{ value | length }}"])
def test_a_template_prints_nothing_unquoted(source):
    with pytest.raises(MessageError):
        _environment().from_string(source).render(value="x; y")


@pytest.mark.parametrize("gpus", ["8xh100", "16xh100", "2x4090", "m3-ultra", "1x4090+1x3090"])
@pytest.mark.parametrize(
    "engine", ["vllm", "sglang", "trtllm", "nim", "tgi", "lmdeploy", "llamacpp", "transformers"]
)
def test_where_starts_are_promised_there_is_one(started, engine, gpus):
    """Whether there are any is known before they are written."""
    _, starts = started(f"llama 3.1 8b engine={engine} gpu={gpus}")
    assert starts is None or starts.items
    _, starts = started(f"llama 3.1 405b engine={engine} gpu={gpus}")
    assert starts is None or starts.items


def test_nothing_runs_nothing_starts(catalogue, started):
    answer, starts = started("llama 3.1 405b bf16 gpu=1xt4 gpus<=1")
    assert starts is None
    messages = load_messages("en", Labels(catalogue))
    assert to_contract(answer, messages, starts=starts)["start"] is None


def test_the_contract_lists_kind_and_text(catalogue, started):
    answer, starts = started(QUESTIONS[0])
    contract = to_contract(answer, load_messages("en", Labels(catalogue)), starts=starts)
    assert [entry["kind"] for entry in contract["start"]] == ["vllm", "kubernetes"]
    assert all(entry.keys() == {"kind", "text"} for entry in contract["start"])


class MarkdownFile(SingleFileSnapshotExtension):
    file_extension = "md"
    _file_extension = "md"
    _write_mode = WriteMode.TEXT


@pytest.mark.parametrize("language", ["en", "es"])
@pytest.mark.parametrize(
    "name", ["copies", "servers", "gguf", "nim", "none", "reused", "from_host"]
)
def test_page(catalogue, started, snapshot, name, language):
    question = {
        "copies": "llama 3.1 8b fp8 gpu=h100 ctx=8k users=2000",
        "servers": QUESTIONS[2],
        "gguf": QUESTIONS[13],
        "nim": QUESTIONS[9],
        "none": "llama 3.1 405b bf16 gpu=1xt4 gpus<=1",
        "reused": QUESTIONS[HOST["nim"]],
        "from_host": QUESTIONS[HOST["llamacpp"]],
    }[name]
    answer, starts = started(question)
    page = Renderer(catalogue).start(answer, starts, language, "A-1")
    assert page == snapshot.use_extension(MarkdownFile)


def test_a_shared_memory_is_started_with_what_its_system_leaves(started) -> None:
    """A DGX Spark gives programs 103.4 of 121.7 GiB: no fraction above 0.85 starts."""
    answer, starts = started("gpt-oss-120b gpu=dgx-spark")
    part = answer.options[0].per_gpu
    words = shlex.split(starts.items[0].text.replace("\\\n", " "))
    fraction = float(words[words.index("--gpu-memory-utilization") + 1])
    assert 0.84 <= fraction <= part.budget_bytes / part.usable_bytes
