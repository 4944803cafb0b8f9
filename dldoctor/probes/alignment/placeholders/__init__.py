"""Placeholders against features: what a batch and its samples say, as plain facts."""
