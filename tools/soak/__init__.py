"""Many processes write one log and are killed at random: nothing acknowledged may be lost."""
