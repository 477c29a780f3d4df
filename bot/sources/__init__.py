"""Models that are not in the catalogue: files and the Hub, read into plain records."""
