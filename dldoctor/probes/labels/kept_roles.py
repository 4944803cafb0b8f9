"""A table of roles that the user kept: verified by the values, not trusted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from dldoctor.intent import Inferred

CERTAIN = 0.9
"""What values alone must say to contradict the file."""


def verified(
    inferred: Mapping[str, Inferred], kept: Mapping[str, Inferred], known: Sequence[str]
) -> tuple[dict[str, Inferred], tuple[str, ...]]:
    """Return the roles with those of the file laid over, and sentences on where the values contradict it."""
    merged, drift = dict(inferred), []
    for path, one in kept.items():
        now = inferred.get(path)
        if path not in known:
            drift.append(f"`{path}` is {one.role} in the roles file, and no batch has it")
        elif now is not None and now.role != one.role and now.confidence >= CERTAIN and "; " not in now.why:
            drift.append(
                f"`{path}` is {one.role} in the roles file, and its values say {now.role} ({now.why})"
            )
        else:
            said = now.why if now is not None else "the values say nothing"
            merged[path] = replace(one, why=f"from the roles file; {said}")
    return merged, tuple(drift)
