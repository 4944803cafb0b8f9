"""Probe ``pictures``: the user's decoders give probe pictures, and what becomes of them is looked at."""
