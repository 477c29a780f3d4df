"""Ask gpusize in Slack and in the terminal."""
