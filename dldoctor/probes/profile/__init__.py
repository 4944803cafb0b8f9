"""Probe ``profile``: where the time of a sample and of a batch goes, inside the workers."""
