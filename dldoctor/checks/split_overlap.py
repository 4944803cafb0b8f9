"""DL610 split-overlap."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import ceil
from typing import ClassVar

from dldoctor.checks.base import Case, Check, insufficient, not_applicable
from dldoctor.checks.phrases import listed
from dldoctor.checks.wording import counted, percent
from dldoctor.evidence.overlap import OverlapEvidence, SharedItems
from dldoctor.evidence.splits import SplitsEvidence
from dldoctor.finding import Finding, Level, Remark, Unjudged


@dataclass(frozen=True)
class SplitOverlap(Check):
    """Training and evaluation share items.

    ## Why it hurts
    A model is measured on what it was trained on: the metric is too good, most of all for the models that learn
    by heart, and nothing in training tells.

    ## What to do
    Split once, by what identifies an item (a patient, a speaker, a page, a hash of the content), store the two
    lists, and let both loaders read them. A split that is drawn at random twice is two different splits.

    ## When it is wrong
    Items are the same if they are one index of one dataset, one row that both datasets hold, the same content, a
    file that is read for one item of each side, or an id that was given before the split. Ids that count the items
    of a split are no identity, and what many items of a side hold (a blank picture, a frequent answer) is not
    compared. Where each read draws the content anew, it cannot be compared, and where only a part could be read in
    the time, nothing found is no verdict. A few short texts or rows that are alike are a note. One picture with other questions on
    either side is a note: items differ, but what the model has seen does not. An evaluation on a part of training,
    made on purpose, is declared by `--role-b train`.
    """

    rule: ClassVar[str] = "DL610"
    name: ClassVar[str] = "split-overlap"
    level: ClassVar[Level] = Level.ERROR
    by: ClassVar[tuple[str, ...]] = ("compare",)
    needs: ClassVar[tuple[str, ...]] = ("splits",)

    few: float = 0.01
    """Share of the second side up to which short texts or rows that are equal are a note: they repeat by nature."""
    few_items: int = 3
    """And so many of them, whatever the share."""
    many: float = 0.1
    """Share from which on chance does not explain them."""

    def judge(self, case: Case) -> Iterator[Finding | Unjudged | Remark]:
        """Tell what both sides have, the surest way first."""
        splits = case.evidence.splits
        assert splits is not None
        if splits.first.role == splits.second.role:
            yield not_applicable(f"both sides are {splits.first.role}: they may have the same items")
            return
        found = splits.overlap
        if found is None:
            yield insufficient(
                splits.overlap_missing or "the items of both sides could not be looked at together"
            )
            return
        for shared in found.shared:
            yield self._told(splits, found, shared)
        if not found.shared:
            yield _nothing(splits, found)

    def _told(self, splits: SplitsEvidence, found: OverlapEvidence, shared: SharedItems) -> Finding:
        first, second = splits.first.role, splits.second.role
        looked = shared.looked[1]
        share = shared.count / looked if looked else 0.0
        one, other = shared.pairs[0]
        least = "at least " if _partly(found, shared) and shared.count < looked else ""
        part = shared.how == "part"
        verb = "shares" if shared.count == 1 else "share"
        what = (
            f"{least}{shared.count} of {counted(looked, f'{second} item')} ({percent(share)}) "
            + (
                f"{verb} a part with {first} items"
                if part
                else f"{'is' if shared.count == 1 else 'are'} in {first} too"
            )
            + f": {second} {other} {'and' if part else 'is'} {first} {one}, {_how(shared)}"
        )
        level = self._level(shared, share)
        return self.finding(
            what + _doubt(shared, level) + _read(splits, found, shared),
            advice=_advice(found, shared, second),
            level=level,
            where=splits.second.dataset_ref,
            samples=[mine for _, mine in shared.pairs],
            how=shared.how,
            count=shared.count,
            share=share,
            fields=list(shared.fields),
            pairs=[{first: str(one), second: str(other)} for one, other in shared.pairs],
            items={first: found.items[0], second: found.items[1]},
            looked={first: shared.looked[0], second: shared.looked[1]},
        )

    def _level(self, shared: SharedItems, share: float) -> Level:
        if shared.how == "part":
            return Level.INFO
        if shared.how == "text":
            return Level.WARNING
        if not shared.brief or (shared.how != "id" and share >= self.many and shared.count > self.few_items):
            return self.level
        few = share < self.few or shared.count <= self.few_items
        return Level.INFO if few and shared.how != "id" else Level.WARNING


def _how(shared: SharedItems) -> str:
    fields = listed([f"`{path}`" for path in shared.fields], shown=3)
    example = f" ({shared.example})" if shared.example else ""
    match shared.how:
        case "index":
            return "the same index of one dataset"
        case "stored":
            return f"with the same row of {fields}{example}"
        case "content":
            return f"with the same {fields}"
        case "file":
            return f"read from the same file{example}"
        case "id":
            return f"with the same {fields}{example}"
        case "number":
            return f"with the same number in {fields} of their datasets, and all that can be compared of them agrees"
        case "twin":
            return "the same index of datasets made alike, and all that can be compared of them agrees"
        case "text":
            return f"with the same {fields}; the rest cannot be compared, so only the text may be shared"
    apart = listed([f"`{path}`" for path in shared.apart], shown=3)
    other = f", with other {apart}" if apart else ""
    return f"with the same {fields or 'file'}{example}{other}; fine if what they share is no subject of the evaluation"


def _doubt(shared: SharedItems, level: Level) -> str:
    if not shared.brief or level is Level.ERROR or shared.how == "text":
        return ""
    if shared.how == "id":
        return ", unless ids are given anew on each side"
    return "; so short a content may be alike by chance"


def _advice(found: OverlapEvidence, shared: SharedItems, second: str) -> str:
    if shared.how == "part":
        return f"Split by what is shared if {second} is to tell of pictures, texts or speakers that are new."
    if found.items[0] == found.items[1] == shared.count:
        return (
            f"Give {second} items of its own; for one loader before and after a change, give both sides one role "
            "(`--role-b train`)."
        )
    return "Split once, by what identifies an item, and give each side its own list."


def _partly(found: OverlapEvidence, shared: SharedItems) -> bool:
    """Whether a side has items that were not looked at."""
    return any(
        count is None or looked < count for looked, count in zip(shared.looked, found.items, strict=True)
    )


def _read(splits: SplitsEvidence, found: OverlapEvidence, shared: SharedItems) -> str:
    if not _partly(found, shared):
        return ""
    return f"; {_sides(splits, found, shared.looked)} were looked at"


def _sides(splits: SplitsEvidence, found: OverlapEvidence, looked: tuple[int, int]) -> str:
    roles = (splits.first.role, splits.second.role)
    return " and ".join(
        f"{some} {role} items" if count is None or some >= count else f"{some} of {count} {role} items"
        for some, count, role in zip(looked, found.items, roles, strict=True)
    )


def _nothing(splits: SplitsEvidence, found: OverlapEvidence) -> Unjudged | Remark:
    """Say on what it rests that nothing was found; a part of the items is no proof for all."""
    sides = _sides(splits, found, found.read)
    if found.same_source:
        return Remark("both sides draw from one dataset, and no index stands on both")
    if found.rows:
        rows = listed([f"`{path}`" for path in found.rows], shown=3)
        return Remark(f"no row of {rows} of the datasets belongs to items of both sides")
    if not min(found.read):
        return insufficient(f"too little could be read: {sides}")
    if not found.compared and not found.files:
        drawn = listed([f"`{one}`" for one in found.drawn], shown=2)
        return insufficient(
            "no field holds enough to tell items apart"
            + (f", and each read draws {drawn} anew" if drawn else "")
        )
    fields = listed([f"`{path}`" for path in found.compared], shown=3)
    by = f"by the contents of {fields}" if fields else "by the files that are read for them"
    if any(count is None or read < count for read, count in zip(found.read, found.items, strict=True)):
        return insufficient(f"of {sides} that were read none stands on both sides, {by}{_would_show(found)}")
    return Remark(f"no item stands on both sides, {by} ({sides})")


def _would_show(found: OverlapEvidence) -> str:
    """Say how many shared items a reading of parts would hardly have missed (in 19 of 20 cases)."""
    seen = 1.0
    for read, count in zip(found.read, found.items, strict=True):
        if count is None:
            return ""
        seen *= min(1.0, read / count)
    return f"; more than {ceil(3 / seen)} shared items would hardly have been missed"
