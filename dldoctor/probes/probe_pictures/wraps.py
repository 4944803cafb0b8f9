"""Jumps in what was a smooth picture, where values passed the end of 8 bits and went on at the other."""

from __future__ import annotations

from typing import Any, NamedTuple

PERIOD = 256.0
JUMP = 176.0
REACHED = 0.75
"""Part of the range that is seen at least where values wrap."""
ROUNDED = 0.1
"""By how much steps between values may miss multiples of the smallest."""
FEWEST = 24
"""Jumps that go on at the other end, at least."""
MOSTLY = 0.6
"""Share of the large jumps that do so: pasted, erased and padded parts jump otherwise."""
BLENDS = (0, 1, 2, 4)
"""Pixels between the sides of a jump that a resize may have made."""
SCALED = 0.02
"""Part of the range by which values are off that were scaled back to bytes."""
FEW = 0.2
"""As many sharp edges of another kind there may be for each jump that wraps."""
STEEPEST = 24.0
ROUGH = 3.0
"""Levels by which a smooth picture may leave a straight line from pixel to pixel, rounding included."""


class Wrap(NamedTuple):
    """A picture that wrapped."""

    share: float
    before: int
    after: int


def wrap_of(channels: Any, *, whole: bool) -> Wrap | None:
    """Return the wrap in one reading of the smooth picture, in the channel that shows most; None where there is none."""
    found = [one for channel in channels for one in _of_channel(channel, whole=whole)]
    return max(found, default=None, key=lambda one: one.share)


def _of_channel(channel: Any, *, whole: bool) -> list[Wrap]:
    low, high = float(channel.min()), float(channel.max())
    if high <= low:
        return []
    raw = channel if whole and low >= -128 and high <= 255 else _as_bytes(channel)
    if float(raw.max() - raw.min()) < REACHED * PERIOD:
        return []
    rows, columns = _jumps(raw), _jumps(raw.T)
    wrapped = rows.wrapped + columns.wrapped
    large = wrapped + rows.others + columns.others
    sharp = rows.sharp + columns.sharp
    example = rows.example or columns.example
    if wrapped < FEWEST or wrapped < MOSTLY * large or sharp > FEW * wrapped or example is None:
        return []
    return [Wrap(_share_beyond(raw), *example)]


def _as_bytes(channel: Any) -> Any:
    """Return levels of bytes, from some level on, of what was scaled to real numbers."""
    values = channel.unique()
    gaps = values.diff()
    unit = float(gaps.min())
    multiples = gaps / unit
    if len(values) <= PERIOD and float((multiples - multiples.round()).abs().max()) < ROUNDED:
        return (channel - values[0]) / unit
    # Blends of a resize: a picture that wrapped reaches both ends.
    return (channel - values[0]) * ((PERIOD - 1) / float(values[-1] - values[0]))


class _Jumps(NamedTuple):
    """Jumps along the rows of a plane."""

    wrapped: int
    """They go on at the other end."""
    others: int
    sharp: int
    """Those among the others that lie between two smooth parts."""
    example: tuple[int, int] | None


def _jumps(plane: Any) -> _Jumps:
    """Count jumps along rows; between the two sides there may be blends, as a resize makes them."""
    import torch

    width = plane.shape[1] - 3 - max(BLENDS)
    if width < 1:
        return _Jumps(0, 0, 0, None)
    usual = float(plane.diff(dim=1).abs().median())
    each = [_over(plane, blends + 1, width) for blends in BLENDS]
    found = torch.stack([one.goes_on for one in each]).any(0)
    large = torch.stack([one.large for one in each]).any(0)
    # Beside a blend the same jump is seen once more, askew.
    near = torch.nn.functional.max_pool1d(found.float(), 11, stride=1, padding=5) > 0
    plain = each[0].large & (each[0].steepest <= ROUGH + 2 * usual) & ~each[0].goes_on
    example = next((one.example for one in each if one.example is not None), None)
    return _Jumps(int(found.sum()), int((large & ~near).sum()), int(plain.sum()), example)


class _Reach(NamedTuple):
    """Jumps over so many pixels, by the place of the first."""

    goes_on: Any
    large: Any
    """All, without those along a slope: the picture moves too little to tell."""
    steepest: Any
    """The larger of the steps before and after."""
    example: tuple[int, int] | None


def _over(plane: Any, reach: int, width: int) -> _Reach:
    import torch

    first, before = plane[:, :width], plane[:, 1 : 1 + width]
    after, last = plane[:, 1 + reach : 1 + reach + width], plane[:, 2 + reach : 2 + reach + width]
    jump = after - before
    over = jump - PERIOD * jump.sign()
    rise, fall = before - first, last - after
    step = (rise + fall) / 2
    large = jump.abs() > JUMP
    smooth = (rise - fall).abs() <= ROUGH + 0.3 * step.abs()
    joins = (over - reach * step).abs() <= ROUGH + 0.5 * reach * step.abs() + SCALED * PERIOD
    moves = (
        (rise.abs() >= 0.5) & (fall.abs() >= 0.5) & (rise.sign() == fall.sign()) & (step.abs() <= STEEPEST)
    )
    found = large & smooth & joins & moves
    example = None
    if bool(found.any()):
        row, column = (int(one) for one in found.nonzero()[0])
        example = round(float(before[row, column])), round(float(after[row, column]))
    steepest = torch.maximum(rise.abs(), fall.abs())
    return _Reach(found, large & ~(joins & (step.abs() < 1.0)), steepest, example)


def _share_beyond(raw: Any) -> float:
    """Return the share of the pixels beyond a jump, seen from the larger part."""
    import torch

    times = torch.cumsum(_turns(raw.diff(dim=0)[:, :1]), 0)
    start = torch.cat([torch.zeros(1, 1), times])
    along = torch.cat([torch.zeros(len(raw), 1), torch.cumsum(_turns(raw.diff(dim=1)), 1)], 1)
    turns: Any = start + along
    _, counts = turns.unique(return_counts=True)
    return 1 - float(counts.max()) / int(raw.numel())


def _turns(steps: Any) -> Any:
    return -(steps.abs() > JUMP).float() * steps.sign()
