"""A first config for a project, from its source alone: nothing of the user's is imported or run."""

from __future__ import annotations
