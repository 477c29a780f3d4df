"""What methods of training need beside the model: more answers, more models, rollouts."""

from __future__ import annotations

from sizing.tuning import Method

PAIRED = frozenset(
    {Method.DPO, Method.ORPO, Method.SIMPO, Method.CPO, Method.REWARD, Method.EMBEDDING}
)
"""Methods that compute two texts together: the chosen and the rejected answer of a pair
(`concatenated_forward` of `DPOTrainer`, `RewardTrainer` of TRL), a text and its match."""

REFERENCED = frozenset({Method.DPO, Method.KTO, Method.PPO, Method.GRPO})
"""Methods that hold the model against a frozen copy of it (Rafailov et al. 2023, Ethayarajh et al.
2024, Schulman et al. 2017 with the KL penalty of Ouyang et al. 2022, Shao et al. 2024)."""

ROLLED_OUT = frozenset({Method.PPO, Method.GRPO, Method.GKD})
"""Methods in whose run the model writes answers."""

WITHOUT_HEAD = frozenset({Method.REWARD, Method.CLASSIFICATION, Method.EMBEDDING})
"""Methods whose model has no head that scores the vocabulary
(`AutoModelForSequenceClassification`, sentence embeddings)."""

DISTILLED_COPIES = 3
"""Times the scores of one model that distillation holds at once: two tables of log-probabilities,
their mixture and two divergences, and their gradients (`generalized_jsd_loss` of TRL)."""
