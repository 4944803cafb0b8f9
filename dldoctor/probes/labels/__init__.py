"""Probe ``labels``: run the user's own loader and reduce each row of tokens to facts."""
