"""Memory of a training run: full fine-tuning, LoRA and QLoRA."""
