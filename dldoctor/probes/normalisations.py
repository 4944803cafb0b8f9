"""Means and deviations that pictures are usually normalised with."""

from __future__ import annotations

USUAL = (
    ("ImageNet", (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)),
    ("CLIP", (0.48145466, 0.4578275, 0.40821073), (0.26862954, 0.26130258, 0.27577711)),
    ("0.5 and 0.5", (0.5,), (0.5,)),
)
"""Name, mean and deviation of red, green and blue, or of all three."""


def ends(*steps: int) -> tuple[float, float]:
    """Return what black and white become by usual normalisations (positions in `USUAL`), one after the other."""
    marks = []
    for colour in range(3):
        for plain in (0.0, 1.0):
            mark = plain
            for step in steps:
                _, mean, deviation = USUAL[step]
                mark = (mark - mean[colour % len(mean)]) / deviation[colour % len(deviation)]
            marks.append(mark)
    return min(marks), max(marks)


ONCE = tuple(ends(one) for one in range(len(USUAL)))
TWICE = tuple(ends(one, other) for one in range(len(USUAL)) for other in range(len(USUAL)))
