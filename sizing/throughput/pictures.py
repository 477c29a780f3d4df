"""Operations of a picture: text encoders once, the denoiser for each step, the decoder once."""

from __future__ import annotations

from sizing.records import PassRecord, PipelineRecord, TensorGroup
from sizing.throughput.work import ItemWork

TEXT_TOKENS = 77
"""Tokens of a prompt for CLIP (openai/clip-vit-large-patch14 config.json:
max_position_embeddings), where the denoiser names none."""

KERNELS_PER_ENCODER = 600
"""Operators of a text encoder: 24 layers of 25; they are started once for a picture."""

DEFAULT_BITS = 16


def picture_work(pipeline: PipelineRecord, pixels: int, steps: int) -> ItemWork | None:
    """Return the work of one picture; None where the operations were not counted."""
    denoise = _pass_of(pipeline, TensorGroup.DENOISER)
    decode = _pass_of(pipeline, TensorGroup.AUTOENCODER)
    if denoise is None or decode is None or not denoise.kernels:
        return None
    step = denoise_work(pipeline, pixels)
    encoders = [one for one in pipeline.components if one.group is TensorGroup.TEXT_ENCODER]
    tokens = denoise.text_tokens or TEXT_TOKENS
    copies = denoise.guidance_copies * denoise.evaluations
    read = sum(2.0 * one.parameters * tokens * copies for one in encoders)
    return ItemWork(
        network=step.network,
        quantised_operations=steps * step.quantised_operations,
        other_operations=read + _in_sixteen_bits(decode, pixels),
        kernels=steps * step.kernels + decode.kernels + KERNELS_PER_ENCODER * len(encoders),
    )


def denoise_work(pipeline: PipelineRecord, pixels: int) -> ItemWork:
    """Return the work of one step of a picture, guidance included."""
    denoise = _pass_of(pipeline, TensorGroup.DENOISER)
    if denoise is None:
        raise ValueError("a pipeline without a denoiser has no steps")
    copies = denoise.guidance_copies * denoise.evaluations
    return ItemWork(
        network=_network_of(pipeline),
        quantised_operations=copies * operations_of(denoise, pixels),
        other_operations=0.0,
        kernels=denoise.evaluations * denoise.kernels,
    )


def evaluation_work(pipeline: PipelineRecord, pixels: int) -> ItemWork:
    """Return the work of one evaluation of the denoiser alone, without guidance."""
    step = denoise_work(pipeline, pixels)
    denoise = _pass_of(pipeline, TensorGroup.DENOISER)
    copies = denoise.guidance_copies * denoise.evaluations if denoise else 1
    evaluations = denoise.evaluations if denoise else 1
    return ItemWork(
        network=step.network,
        quantised_operations=step.quantised_operations / copies,
        other_operations=0.0,
        kernels=step.kernels / evaluations,
    )


def operations_of(record: PassRecord, pixels: int) -> float:
    """Return the additions and multiplications of one evaluation for a picture of `pixels`."""
    return (
        record.fixed_operations
        + record.linear_operations_per_pixel * pixels
        + record.attention_operations_per_square_pixel * pixels**2
    )


def _in_sixteen_bits(record: PassRecord, pixels: int) -> float:
    """Return operations in 16 bits that take as long: those in 32 run at half the rate or less."""
    bits = record.element_bits if record.keeps_bits else DEFAULT_BITS
    return operations_of(record, pixels) * bits / DEFAULT_BITS


def _pass_of(pipeline: PipelineRecord, group: TensorGroup) -> PassRecord | None:
    return next((one for one in pipeline.passes if one.group is group), None)


def _network_of(pipeline: PipelineRecord) -> str:
    """Return the folder of the denoiser: `unet` or `transformer`."""
    denoisers = (one for one in pipeline.components if one.group is TensorGroup.DENOISER)
    return next(denoisers).name
