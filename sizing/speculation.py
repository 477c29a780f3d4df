"""What the asker told of speculative decoding, and what was published of it."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

from pydantic import Field

from sizing.records import PositiveCount, Record


class SpecMethod(StrEnum):
    """What drafts the tokens that the model then verifies."""

    EAGLE3 = "eagle3"
    MTP = "mtp"
    DRAFT = "draft"


class Speculation(Record):
    """Wishes about speculative decoding; None leaves a figure to what is usual."""

    spec: SpecMethod | None = None
    """What drafts; None where the model writes alone."""

    draft_tokens: PositiveCount | None = None
    """Tokens drafted before each step of the model."""

    acceptance: Annotated[float, Field(gt=0, lt=1)] | None = None
    """Share of drafted tokens that the model accepts, each given those before it, 0-1."""

    draft_parameters: PositiveCount | None = None
    """Parameters of a draft model."""


USUAL_DRAFT_TOKENS = {SpecMethod.EAGLE3: 3, SpecMethod.MTP: 1, SpecMethod.DRAFT: 5}
"""Tokens that are drafted where nobody says.

Source: examples of the vLLM documentation (features/spec_decode, 0.9 to 0.14); DeepSeek-V3 has one
prediction layer.
"""

PUBLISHED_ACCEPTANCE = {SpecMethod.EAGLE3: 0.65, SpecMethod.MTP: 0.85}
"""Usual share of accepted tokens; a draft model's depends on the pair and has none.

EAGLE-3: acceptance lengths of 2.77 and 2.88 at seven drafted tokens on MT-bench, temperature 1, of
two public drafts for Llama 3 (model card of nebius/EAGLE3-Llama-3.3-70B-Instruct, 2026): 0.65 gives
2.77. MTP: 85 to 90 % of second tokens (DeepSeek-V3, arXiv 2412.19437, section 5.4.3).
"""


def tokens_of_step(acceptance: float, draft_tokens: int) -> float:
    """Return the tokens that one step of the model is expected to give.

    (1 - a^(k+1)) / (1 - a): Leviathan et al. 2023, arXiv 2211.17192, equation 1.
    """
    return (1 - acceptance ** (draft_tokens + 1)) / (1 - acceptance)
