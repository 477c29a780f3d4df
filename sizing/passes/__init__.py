"""Models that work in whole passes: encoders, classifiers, speech, pictures and clips."""
