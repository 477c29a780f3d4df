"""How fast whole inputs are worked on: pictures each second, sound, texts."""
