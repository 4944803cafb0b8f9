"""DL712 on hand-made evidence."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from dldoctor.checks.not_pinned import NotPinned
from dldoctor.evidence.payload import PayloadEvidence
from tests.checks.profiles import PROFILE, judged

HIDDEN = PayloadEvidence(3, 3_000, 0, unpinnable=(("batch", "Batch", 2),))


def found(payload: PayloadEvidence | None = HIDDEN, **settings: Any) -> list[tuple[str, str, str]]:
    return judged(NotPinned(), replace(PROFILE, payload=payload), **{"pin_memory": True, **settings})


def test_names_the_type() -> None:
    """Two of three tensors stay in pageable memory."""
    message = "`pin_memory=True` cannot reach 2 tensors of 3 in a batch: `Batch` has no `pin_memory` method"
    assert found() == [
        (
            "warning",
            message,
            "Give `Batch` a `pin_memory(self)` method that pins its tensors and returns itself.",
        )
    ]


def test_where_all_is_reached_it_is_silent() -> None:
    """Dicts, lists and tuples are walked by torch itself."""
    assert found(replace(HIDDEN, unpinnable=())) == []


def test_what_cannot_be_judged_says_so() -> None:
    """Not asked for, or no batch."""
    assert [one[0] for one in found(pin_memory=False)] == ["not-applicable"]
    assert [one[0] for one in found(None)] == ["insufficient-evidence"]
