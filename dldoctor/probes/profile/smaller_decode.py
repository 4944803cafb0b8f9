"""Decodes the user's own pictures at about the size that is used, by what Pillow and OpenCV offer for it."""

from __future__ import annotations

import itertools
import sys
import time
from collections.abc import Callable, Sequence
from typing import Any

from dldoctor.evidence.trial import Trial
from dldoctor.probes.digest import pin
from dldoctor.probes.profile.entry_points import Resized
from dldoctor.probes.profile.ratios import trial_of
from dldoctor.probes.profile.reads import BUDGET_S, SEED, read_ns
from dldoctor.targets import Pipeline

ITEMS = 10
Patch = Callable[[bool], None]
"""Decodes smaller from now on, or as before."""


def smaller(pipeline: Pipeline, resized: Sequence[Resized]) -> Trial | None:
    """Try Pillow's draft mode, else the reduced decoding of OpenCV."""
    width, height = max(one.width for one in resized), max(one.height for one in resized)
    times = min(one.before / max(1, one.after) for one in resized)
    return _pillow(pipeline, width, height) or _opencv(pipeline, times)


def _pillow(pipeline: Pipeline, width: int, height: int) -> Trial | None:
    image: Any = sys.modules.get("PIL.Image")
    if image is None:
        return None
    original = image.open
    reduced = [0]

    def opened(*args: Any, **options: Any) -> Any:
        found = original(*args, **options)
        before = found.size
        found.draft(None, (width, height))
        reduced[0] += found.size != before
        return found

    def patch(small: bool) -> None:
        image.open = opened if small else original

    return _tried(pipeline, patch, reduced, f"{width}x{height}")


def _opencv(pipeline: Pipeline, times: float) -> Trial | None:
    cv2: Any = sys.modules.get("cv2")
    part = next((n for n in (8, 4, 2) if n * n <= times), 1)
    if cv2 is None or part == 1:
        return None
    originals = {name: getattr(cv2, name) for name in ("imread", "imdecode")}
    flag = getattr(cv2, f"IMREAD_REDUCED_COLOR_{part}")
    reduced = [0]

    def reducing(original: Callable[..., Any]) -> Callable[..., Any]:
        def decode(source: Any, flags: int = cv2.IMREAD_COLOR, *more: Any, **options: Any) -> Any:
            small = flags == cv2.IMREAD_COLOR
            reduced[0] += small
            return original(source, flag if small else flags, *more, **options)

        return decode

    def patch(small: bool) -> None:
        for name, original in originals.items():
            setattr(cv2, name, reducing(original) if small else original)

    return _tried(pipeline, patch, reduced, f"cv2.IMREAD_REDUCED_COLOR_{part}")


def _tried(pipeline: Pipeline, patch: Patch, reduced: list[int], detail: str) -> Trial | None:
    """Read the same items both ways in turns; None where nothing was decoded smaller."""
    length = pipeline.spec.dataset_length or 0
    if length < 3:
        return None

    def read(index: int, *, small: bool) -> float:
        patch(small)
        pin(SEED)
        try:
            return read_ns(pipeline.dataset, [index])
        finally:
            patch(False)

    pairs = []
    started = time.monotonic()
    _ = read(0, small=False)
    for number, index in enumerate(itertools.islice(range(0, length, max(1, length // ITEMS)), ITEMS)):
        if number % 2:
            now, then = read(index, small=False), read(index, small=True)
        else:
            then, now = read(index, small=True), read(index, small=False)
        pairs.append((now, then))
        if number >= 3 and time.monotonic() - started > BUDGET_S:
            break
    return trial_of("draft", pairs, per="sample", detail=detail) if reduced[0] else None
