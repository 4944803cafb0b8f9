"""Means and deviations that pictures are usually normalised with."""

from __future__ import annotations

USUAL = (
    ("ImageNet", (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)),
    ("CLIP", (0.48145466, 0.4578275, 0.40821073), (0.26862954, 0.26130258, 0.27577711)),
    ("0.5 and 0.5", (0.5,), (0.5,)),
)
"""Name, mean and deviation of red, green and blue, or of all three."""


Ends = tuple[float, float]


def spread(plain: float, *steps: int) -> Ends:
    """Return the least and greatest of what one brightness becomes in three colours.

    `steps`: usual normalisations (positions in `USUAL`), one after the other.
    """
    marks = [plain] * 3
    for step in steps:
        _, mean, deviation = USUAL[step]
        marks = [
            (mark - mean[at % len(mean)]) / deviation[at % len(deviation)] for at, mark in enumerate(marks)
        ]
    return min(marks), max(marks)


def ends(*steps: int) -> Ends:
    """Return what black and white become by usual normalisations, one after the other."""
    (low, _), (_, high) = spread(0.0, *steps), spread(1.0, *steps)
    return low, high


ONCE = tuple(ends(one) for one in range(len(USUAL)))
TWICE = tuple(ends(one, other) for one in range(len(USUAL)) for other in range(len(USUAL)))
SCALED_TWICE = tuple((spread(0.0, one), spread(1 / 255, one)) for one in range(len(USUAL)))
"""Of pictures that were divided by 255 twice before one of them: what black becomes, and what white does."""
