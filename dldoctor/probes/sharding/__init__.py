"""Probe ``sharding``: simulated ranks, each in an interpreter of its own, and what they deliver.

`probe` runs in the probe process and starts the ranks; `rank` is what runs in each of them.
"""
