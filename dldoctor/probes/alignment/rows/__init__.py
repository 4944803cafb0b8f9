"""Rows to look at: how the values of a batch become pictures, sounds and text."""
