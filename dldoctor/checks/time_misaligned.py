"""DL410 time-misaligned."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from dldoctor.checks.base import Case, Check, not_applicable
from dldoctor.checks.wording import at, counted, figure, percent
from dldoctor.evidence.file_pairs import FrameOrder
from dldoctor.evidence.times import TimeRow
from dldoctor.finding import Finding, Level, Unjudged


@dataclass(frozen=True)
class TimeMisaligned(Check):
    """Sound, film and times of one sample do not last equally long, or its frames are out of order.

    ## Why it hurts
    A sound that is read at one rate and taken for another one is slower or faster than its transcript says.
    Times that lie beyond its end point at nothing, and frames that belong to other seconds teach chance.

    ## What to do
    Resample to one rate on reading, keep rate and samples together, and cut all parts of a sample alike.

    ## When it is wrong
    Seconds are told by fields: a sampling rate, frames per second, a duration, timestamps. A duration beside
    sounds that are all cut to one length is that of the recording, and is not compared. Times of which there
    is one for each frame are those of the whole film. Numbered files that all samples open in the order of
    their names as text (`f_1`, `f_10`, `f_2`) are a fault in a film, and a note in a set of pictures.
    """

    rule: ClassVar[str] = "DL410"
    name: ClassVar[str] = "time-misaligned"
    level: ClassVar[Level] = Level.ERROR
    by: ClassVar[tuple[str, ...]] = ("check-alignment",)
    needs: ClassVar[tuple[str, ...]] = ("loader", "alignment")

    apart_s: float = 0.25
    """Seconds by which parts may differ."""
    apart_share: float = 0.05
    """Share of the longer part by which they may differ."""

    fewest_rows: int = 2
    """Samples that must open their frames out of order."""

    def judge(self, case: Case) -> Iterator[Finding | Unjudged]:
        """Compare the seconds of each sample."""
        alignment = case.evidence.alignment
        seen = alignment.parts.times if alignment is not None and alignment.parts is not None else None
        rows = seen.rows if seen is not None else ()
        order = alignment.parts.order if alignment is not None and alignment.parts is not None else None
        if order is not None and len(order.wrong) >= self.fewest_rows:
            yield self._order(case, order)
        if not rows:
            if order is None:
                yield not_applicable("no sample has two parts whose seconds are told")
            return
        fixed = _cut_to_one_length(rows)
        differ = [row for row in rows if self._differ(row, fixed)]
        if differ:
            yield self._durations(case, rows, differ, fixed)
        beyond = [row for row in rows if self._beyond(row)]
        if beyond and not differ:
            yield self._stamps(case, rows, beyond)

    def _order(self, case: Case, order: FrameOrder) -> Finding:
        spec = case.evidence.loader
        assert spec is not None
        doubt = "" if order.film else "; if their order does not matter, nothing is wrong"
        told = order.samples - order.alike
        alike = f"; in {order.alike} more both orders are the same" if order.alike else ""
        return self.finding(
            f"{counted(len(order.wrong), 'sample')} of {told} open numbered files in the order of their names"
            f" as text: {', '.join(order.example)} in {order.folder}{alike}{doubt}",
            advice="Sort the files of a film by their number, not by their name.",
            level=self.level if order.film else Level.INFO,
            where=spec.dataset_ref,
            samples=order.wrong,
            count=len(order.wrong),
            alike=order.alike,
            opened=list(order.example),
        )

    def _differ(self, row: TimeRow, fixed: frozenset[str]) -> bool:
        kept = [value for name, value in row.seconds.items() if name not in fixed]
        if len(kept) < 2:
            return False
        return max(kept) - min(kept) > max(self.apart_s, self.apart_share * max(kept))

    def _beyond(self, row: TimeRow) -> bool:
        if row.last is None or not row.seconds:
            return False
        whole = max(row.seconds.values())
        return row.last > whole + max(self.apart_s, self.apart_share * whole)

    def _durations(
        self, case: Case, rows: tuple[TimeRow, ...], differ: list[TimeRow], fixed: frozenset[str]
    ) -> Finding:
        spec, first = case.evidence.loader, differ[0]
        assert spec is not None
        kept = {name: value for name, value in first.seconds.items() if name not in fixed}
        told = " and ".join(f"`{name}` {figure(value)} s" for name, value in kept.items())
        factor = _factor(differ, fixed)
        why = (
            f"; in all of them by the factor {figure(factor)}, as of another sampling rate" if factor else ""
        )
        return self.finding(
            f"parts of {counted(len(differ), 'sample')} of {len(rows)} ({percent(len(differ) / len(rows))}) do not last"
            f" equally long: {told} in {at(first.sample)}{why}",
            advice="Resample to one rate on reading."
            if factor
            else "Cut and pair all parts of a sample alike.",
            where=spec.dataset_ref,
            samples=[row.sample for row in differ],
            count=len(differ),
            seconds=first.seconds,
            rate=first.rate,
            factor=factor,
        )

    def _stamps(self, case: Case, rows: tuple[TimeRow, ...], beyond: list[TimeRow]) -> Finding:
        spec, first = case.evidence.loader, beyond[0]
        assert spec is not None
        assert first.last is not None
        name, whole = max(first.seconds.items(), key=lambda one: one[1])
        looks_ms = all(row.last is not None and row.last / max(row.seconds.values()) > 10 for row in beyond)
        unit = "; if they are no seconds, convert them" if looks_ms and len(beyond) == len(rows) else ""
        return self.finding(
            f"times of {counted(len(beyond), 'sample')} of {len(rows)} lie beyond the end: `{first.stamps}` reaches"
            f" {figure(first.last, 6)} in {at(first.sample)}, and `{name}` lasts {figure(whole)} s{unit}",
            advice="Move and cut times together with the sound or film.",
            level=Level.INFO if unit else Level.ERROR,
            where=spec.dataset_ref,
            samples=[row.sample for row in beyond],
            count=len(beyond),
            seconds=first.seconds,
            last=first.last,
        )


def _cut_to_one_length(rows: tuple[TimeRow, ...]) -> frozenset[str]:
    """Return the parts that last equally long in all samples while others do not: windows of a fixed length."""
    names = set.intersection(*(set(row.seconds) for row in rows))
    lasts = {name: {round(row.seconds[name], 3) for row in rows} for name in names}
    if len(rows) < 2 or all(len(values) == 1 for values in lasts.values()):
        return frozenset()
    return frozenset(name for name, values in lasts.items() if len(values) == 1)


def _factor(differ: list[TimeRow], fixed: frozenset[str]) -> float | None:
    """Return the factor between two parts where all samples have the same."""
    ratios = []
    for row in differ:
        kept = [value for name, value in row.seconds.items() if name not in fixed]
        ratios.append(kept[0] / kept[1])
    same = len(ratios) > 2 and max(ratios) - min(ratios) <= 0.02 * max(ratios)
    return sum(ratios) / len(ratios) if same else None
