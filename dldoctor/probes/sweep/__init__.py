"""Probe ``sweep``: a handful of runs of the user's loader under different settings, each in a fresh fork."""
