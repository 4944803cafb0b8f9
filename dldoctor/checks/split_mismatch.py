"""DL220 split-mismatch."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

from dldoctor.checks.base import Case, Check, not_applicable
from dldoctor.checks.wording import figure
from dldoctor.evidence.splits import PixelField, Scale, Side, SplitsEvidence, TokenField
from dldoctor.finding import Finding, Level, Unjudged

SCALES: dict[Scale, str] = {
    "bytes": "0 to 255",
    "unit": "0 to 1",
    "centred": "around 0",
    "normalised-twice": "normalised twice",
    "other": "of no usual range",
}
Difference = tuple[Level, str, str, dict[str, Any]]
"""Level, fact, advice, and both values."""


@dataclass(frozen=True)
class SplitMismatch(Check):
    """Training and evaluation are prepared in different ways where they must not.

    ## Why it hurts
    The model is measured on data that it was never trained for: pixels of another scale, ids of another
    vocabulary, rows cut at another length, or an evaluation that leaves items out. The metric is wrong, and it
    looks like a bad model.

    ## What to do
    Share what both need (tokenizer, normalisation, size, limits) in one place, and let only augmentation differ.
    Evaluate in order and without `drop_last`.

    ## When it is wrong
    Some of it is meant: a larger size or a longer limit in evaluation, left padding for generation. Those are
    warnings at most, and the sentence says both values.
    """

    rule: ClassVar[str] = "DL220"
    name: ClassVar[str] = "split-mismatch"
    level: ClassVar[Level] = Level.ERROR
    by: ClassVar[tuple[str, ...]] = ("compare",)
    needs: ClassVar[tuple[str, ...]] = ("splits",)

    least: int = 32
    """Samples of each side whose pixels must have been looked at."""

    wider: float = 3.0
    """Of pixels around 0: ranges that differ by this factor do not differ by noise or erased parts alone."""

    def judge(self, case: Case) -> Iterator[Finding | Unjudged]:
        """Hold the sides against each other, one respect after the other."""
        splits = case.evidence.splits
        assert splits is not None
        found = [*self._pixels(splits), *_tokens(splits), *_order(splits.first), *_order(splits.second)]
        if not found and not _same_fields(splits):
            yield not_applicable("the sides have no pixels or tokens in common")
        for level, fact, advice, values in found:
            yield self.finding(
                fact,
                advice=advice,
                level=level,
                where=splits.second.collate_ref or splits.second.dataset_ref,
                **values,
            )

    def _pixels(self, splits: SplitsEvidence) -> Iterator[Difference]:
        for one, other in _paired(splits.first.pixels, splits.second.pixels):
            values = {"field": one.path}
            if min(one.samples, other.samples) >= self.least and one.scale != other.scale:
                yield (
                    Level.ERROR,
                    (
                        f"pixels of `{one.path}` are {SCALES[one.scale]} ({figure(one.low, 5)} .. {figure(one.high, 5)}) in "
                        f"{splits.first.role} and {SCALES[other.scale]} ({figure(other.low, 5)} .. {figure(other.high, 5)}) in "
                        f"{splits.second.role}"
                    ),
                    "Scale and normalise both sides by the same code.",
                    {**values, "first": one.scale, "second": other.scale},
                )
            elif min(one.samples, other.samples) >= self.least and self._is_wider(one, other):
                yield (
                    Level.WARNING,
                    (
                        f"pixels of `{one.path}` go from {figure(one.low, 5)} to {figure(one.high, 5)} in {splits.first.role} "
                        f"and from {figure(other.low, 5)} to {figure(other.high, 5)} in {splits.second.role}"
                    ),
                    "Scale and normalise both sides by the same code, unless an augmentation is meant to go so far.",
                    {**values, "first": [one.low, one.high], "second": [other.low, other.high]},
                )
            if one.shape and other.shape and one.shape != other.shape:
                yield (
                    Level.WARNING,
                    (
                        f"pixels of `{one.path}` are {one.shape} in {splits.first.role} and {other.shape} in "
                        f"{splits.second.role}"
                    ),
                    "Give both sides one size, unless the model was made for both.",
                    {**values, "first": one.shape, "second": other.shape},
                )

    def _is_wider(self, one: PixelField, other: PixelField) -> bool:
        spans = sorted((one.high - one.low, other.high - other.low))
        return one.scale == "centred" and spans[0] > 0 and spans[1] >= self.wider * spans[0]


def _tokens(splits: SplitsEvidence) -> Iterator[Difference]:
    first, second = splits.first.role, splits.second.role
    for one, other in _paired(splits.first.tokens, splits.second.tokens):
        for name, words in (
            ("vocabulary", "a vocabulary of {} ids"),
            ("pad", "the pad id {}"),
            ("eos", "the end id {}"),
        ):
            mine, theirs = getattr(one, name), getattr(other, name)
            if mine is not None and theirs is not None and mine != theirs:
                yield (
                    Level.ERROR,
                    f"`{one.path}` has {words.format(mine)} in {first} and {words.format(theirs)} in {second}",
                    "Use one tokenizer, with the same special tokens, for both sides.",
                    {"field": one.path, "first": mine, "second": theirs},
                )
        if one.limit is not None and other.limit is not None and one.limit != other.limit:
            yield (
                Level.WARNING,
                f"rows of `{one.path}` are cut at {one.limit} in {first} and at {other.limit} in {second}",
                "Give both sides the same limit, unless the longer one is meant.",
                {"field": one.path, "first": one.limit, "second": other.limit},
            )
        sides = {one.padded, other.padded}
        if sides == {"left", "right"} and "generate" not in (first, second):
            yield (
                Level.WARNING,
                (
                    f"rows of `{one.path}` are padded on the {one.padded} in {first} and on the {other.padded} in "
                    f"{second}"
                ),
                "Pad both sides alike; on the left only where the loader feeds generation (`--role-b generate`).",
                {"field": one.path, "first": one.padded, "second": other.padded},
            )


def _order(side: Side) -> Iterator[Difference]:
    if side.role == "train" or not side.settings_known:
        return
    if side.left_over:
        yield (
            Level.ERROR,
            (
                f"the {side.role} loader leaves out {side.left_over} of {side.items} items: `drop_last` with batches of "
                f"{side.batch_size}"
            ),
            "Set `drop_last=False` in evaluation.",
            {"items": side.items, "left_out": side.left_over, "share": side.left_over / (side.items or 1)},
        )
    if side.shuffle:
        yield (
            Level.INFO,
            f"the {side.role} loader is shuffled: results cannot be told by their place, and batches differ each time",
            "Set `shuffle=False` in evaluation.",
            {},
        )


def _paired(first: tuple[Any, ...], second: tuple[Any, ...]) -> Iterator[tuple[Any, Any]]:
    """Yield the fields of one path; where each side has just one, these whatever they are called."""
    if len(first) == len(second) == 1:
        yield first[0], second[0]
        return
    by_path = {one.path: one for one in second}
    for one in first:
        if one.path in by_path:
            yield one, by_path[one.path]


def _same_fields(splits: SplitsEvidence) -> bool:
    sides: tuple[tuple[tuple[PixelField | TokenField, ...], ...], ...] = (
        (splits.first.pixels, splits.second.pixels),
        (splits.first.tokens, splits.second.tokens),
    )
    return any(True for first, second in sides for _ in _paired(first, second))
