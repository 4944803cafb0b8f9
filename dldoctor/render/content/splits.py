"""Two loaders side by side, one row a respect."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from dldoctor.evidence.splits import PixelField, Side, SplitsEvidence, TokenField
from dldoctor.render.clean_text import clean
from dldoctor.render.numbers import count, counted, number
from dldoctor.report import Report

_SCALES = {
    "bytes": "0 to 255",
    "unit": "0 to 1",
    "centred": "around 0",
    "normalised-twice": "normalised twice",
    "other": "no usual range",
}


@dataclass(frozen=True)
class SplitRow:
    """One respect in which the sides are held against each other."""

    name: str
    first: str
    second: str

    @property
    def apart(self) -> str:
        """A word where the sides differ; it need not be a fault."""
        return "" if self.first == self.second else "differs"


def found(report: Report) -> SplitsEvidence | None:
    """Return the evidence, where two loaders were compared."""
    return report.evidence.splits


def titles(splits: SplitsEvidence) -> tuple[str, str]:
    """Return the roles of both sides, with a number where they are the same."""
    first, second = splits.first.role, splits.second.role
    return (first, second) if first != second else (f"{first} A", f"{second} B")


def rows(splits: SplitsEvidence) -> tuple[SplitRow, ...]:
    """Return what is known of either side."""
    first, second = dict(_facts(splits.first)), dict(_facts(splits.second))
    names = list(dict.fromkeys((*first, *second)))
    return tuple(SplitRow(clean(name, 40), first.get(name, "-"), second.get(name, "-")) for name in names)


def _facts(side: Side) -> Iterator[tuple[str, str]]:
    yield "target", clean(side.target, 60)
    if side.items is not None:
        yield "items", count(side.items)
    if side.settings_known:
        size = "own batches" if side.batch_size is None else count(side.batch_size)
        yield "batch size", size
        yield "order", {True: "shuffled", False: "in order", None: "own sampler"}[side.shuffle]
        yield "drop_last", "yes" if side.drop_last else "no"
    for pixels in side.pixels:
        yield from _pixels(pixels)
    for tokens in side.tokens:
        yield from _tokens(tokens)
    for one in side.classes[:1]:
        names = ", ".join(f"{clean(name, 16)} {number}" for name, number in list(one.ids.items())[:4])
        more = ", ..." if len(one.ids) > 4 else ""
        yield "classes", f"{counted(len(one.ids), 'class', 'classes')}: {names}{more}"


def _pixels(one: PixelField) -> Iterator[tuple[str, str]]:
    path = f"`{one.path}`"
    yield f"{path} values", f"{_SCALES[one.scale]} ({number(one.low)} .. {number(one.high)})"
    yield f"{path} shape", one.shape or "varies"


def _tokens(one: TokenField) -> Iterator[tuple[str, str]]:
    path = f"`{one.path}`"
    if one.tokenizer:
        yield (
            "tokenizer",
            clean(one.tokenizer, 40) + (f", {count(one.vocabulary)} ids" if one.vocabulary else ""),
        )
    for name, value in (("pad id", one.pad), ("end id", one.eos), ("limit", one.limit)):
        if value is not None:
            yield f"{path} {name}", str(value)
    yield (
        f"{path} padding",
        {"left": "on the left", "right": "on the right", "both": "on both sides", "none": "none"}[one.padded],
    )
    yield f"{path} longest row", count(one.longest)
