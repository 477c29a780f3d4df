"""KV cache in host memory in the words of both languages, over the packaged catalogue."""

from __future__ import annotations

import pytest

from bot.blocks import to_message
from bot.command import parse
from bot.limits import assert_valid
from bot.render import Renderer
from bot.reply import Reply, ReplyKind
from sizing.catalogue import load_catalogue
from sizing.engine import size

SMALL = "llama 3.1 8b q8_0 gpu=1xt4 ctx=128k"
LARGE = "llama 3.1 70b fp8 gpu=4xh100 users=16 ctx=8k"

SAID = {
    # 2^34 bytes; 89.6 and 460.8 GB/s over them are 5.2 and 27 times a second.
    f"{SMALL} kv=host": (
        "`--no-kv-offload` keeps the KV cache in host memory, 16.00 GiB for this load, and the "
        "processor reads it for every token: at full context at most 5.2 tokens per second with "
        "two channels of DDR5-5600 (89.6 GB/s), 27 with twelve of DDR5-4800 (460.8 GB/s), all "
        "requests together.",
        "`--no-kv-offload` deja la caché KV en la memoria del servidor, 16,00 GiB para esta "
        "carga, y el procesador la lee para cada token: con el contexto lleno, como máximo 5,2 "
        "tokens por segundo con dos canales de DDR5-5600 (89,6 GB/s) y 27 con doce de DDR5-4800 "
        "(460,8 GB/s), todas las solicitudes juntas.",
    ),
    SMALL: (
        "Or the KV cache (16.00 GiB) stays in host memory, `--no-kv-offload`: the processor reads "
        "it for every token, at full context at most 5.2 tokens per second",
        "O bien la caché KV (16,00 GiB) queda en la memoria del servidor, `--no-kv-offload`: el "
        "procesador la lee para cada token; con el contexto lleno, como máximo 5,2 tokens por "
        "segundo",
    ),
    f"{SMALL} kv_host=10": (
        "The host has 10.00 GiB for the KV cache, this load takes 16.00 GiB.",
        "El servidor tiene 10,00 GiB para la caché KV y esta carga ocupa 16,00 GiB.",
    ),
    # 0.66 and 0.79 of 31.504 GB/s, and these over 2^33 bytes.
    "llama 3.1 8b fp16 gpu=1x4090 ctx=64k engine=transformers kv=host": (
        '`cache_implementation="offloaded"` keeps the KV cache in host memory, 8.00 GiB for this '
        "load, and 3 layers of it at a time on the GPU: it crosses the link to the host for every "
        "token (20.8 to 24.9 GB/s), at full context at most 2.4 to 2.9 tokens per second, all "
        "requests together.",
        '`cache_implementation="offloaded"` deja la caché KV en la memoria del servidor, 8,00 GiB '
        "para esta carga, y 3 capas a la vez en la GPU: cruza el enlace con el servidor para cada "
        "token (de 20,8 a 24,9 GB/s); con el contexto lleno, como máximo de 2,4 a 2,9 tokens por "
        "segundo, todas las solicitudes juntas.",
    ),
    # 64 GiB over 8,192 tokens x 80 layers x 8 heads x 256 numbers x 2 bytes = 2.5 GiB.
    f"{LARGE} kv_host=64": (
        "`--kv-offloading-backend native --kv-offloading-size 64` keeps 64.00 GiB of KV cache in "
        "host memory, what 25 requests of 8,192 tokens leave behind: one that comes again is "
        "copied back in place of being computed. It adds neither requests at once nor context: "
        "those under way need all of theirs on the GPUs.",
        "`--kv-offloading-backend native --kv-offloading-size 64` guarda 64,00 GiB de caché KV en "
        "la memoria del servidor, lo que dejan 25 solicitudes de 8.192 tokens: la que vuelve se "
        "copia de vuelta en lugar de calcularse. No añade ni solicitudes a la vez ni contexto: "
        "las que están en curso necesitan toda la suya en las GPU.",
    ),
    f"{LARGE} kv=host": (
        "Copying 8,192 tokens back takes some 13 to 16 ms, computing them again 190 to 520 ms.",
        "Copiar de vuelta 8.192 tokens lleva de 13 a 16 ms; volver a calcularlos, de 190 a 520 ms.",
    ),
    "llama 3.1 8b fp16 gpu=1xl4 ctx=64k users=4 kv=host": (
        "KV cache in host memory makes nothing fit that does not fit without it: vLLM keeps there "
        "what requests leave behind, and those under way need all of theirs on the GPUs.",
        "La caché KV en la memoria del servidor no hace que quepa nada que no quepa sin ella: "
        "vLLM guarda allí lo que dejan las solicitudes, y las que están en curso necesitan toda "
        "la suya en las GPU.",
    ),
    "llama 3.1 8b fp16 gpu=1xl40s engine=tgi kv=host": (
        "Text Generation Inference has no option that keeps KV cache in host memory: `kv=host` "
        "changes nothing.",
        "Text Generation Inference no tiene ninguna opción que guarde la caché KV en la memoria "
        "del servidor: `kv=host` no cambia nada.",
    ),
    "llama 3.1 8b fp16 gpu=1xl40s engine=tgi util=0.95": (
        "Text Generation Inference fills 0.90 of the memory at most, whatever its setting: 0.95 "
        "counts as that.",
        "Text Generation Inference llena como máximo 0,90 de la memoria, sea cual sea su ajuste: "
        "0,95 cuenta como eso.",
    ),
    "llama 3.1 8b q8_0 gpu=1xm3-ultra kv=host": (
        "shares its memory with the host: a KV cache in host memory would lie in the same memory",
        "comparte su memoria con el procesador: una caché KV en la memoria del servidor estaría "
        "en la misma",
    ),
}
"""What an answer says in English and in Spanish."""


@pytest.fixture(scope="module")
def packaged():
    return load_catalogue()


@pytest.fixture(scope="module")
def pages(packaged):
    return Renderer(packaged)


@pytest.mark.parametrize("language", ["en", "es"])
@pytest.mark.parametrize("question", SAID)
def test_answers_say_what_it_is_for_and_what_it_costs(packaged, pages, question, language):
    answer = size(parse(question, packaged).request, packaged)
    page = pages.answer(answer, language, "A-1")
    assert SAID[question][language == "es"] in page
    message = to_message(Reply(ReplyKind.ANSWER, page, language, summary="One sentence."))
    assert_valid("message", message)


def test_what_the_host_lacks_is_not_missing_on_the_gpu(packaged, pages):
    answer = size(parse(f"{SMALL} kv_host=10", packaged).request, packaged)
    title = pages.answer(answer, "en", "A-1").splitlines()[2]
    assert title.startswith("❌ **Does not fit 1 × T4 16 GB**: needs 9.3 GB")
    assert "more than its" not in title


@pytest.mark.parametrize(
    ("question", "lines"),
    [
        (
            f"{LARGE} kv_host=64",
            (
                "KV cache in blocks of 16 tokens; CUDA graphs count inside its share, the estimate "
                "leaves room for them beside it too; in host memory (`kv=host`) it may keep KV "
                "cache to copy back, none that requests under way are computed from",
                "Kept in host memory (`--kv-offloading-backend native --kv-offloading-size 64`): "
                "64.00 GiB, what 25 such requests leave behind",
            ),
        ),
        (
            f"{SMALL} kv=host",
            (
                "KV cache of this load in host memory (`--no-kv-offload`): 16.00 GiB; 1 such "
                "request; longest context at the asked load 131,072 tokens",
                "KV cache in blocks of 256 tokens; in host memory (`kv=host`) the whole KV cache "
                "may lie, read again for every token",
            ),
        ),
        (
            "llama 3.1 8b fp16 gpu=1xl40s engine=tgi",
            (
                "KV cache token by token; CUDA graphs stand beside its share; in host memory "
                "(`kv=host`) it keeps no KV cache",
            ),
        ),
    ],
)
def test_explanations_say_how_the_engine_keeps_it(packaged, pages, question, lines):
    answer = size(parse(question, packaged).request, packaged)
    page = pages.explain(answer, "en", "A-1").splitlines()
    assert set(page) >= {f"- {line}" for line in lines}
