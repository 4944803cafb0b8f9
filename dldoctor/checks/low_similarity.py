"""DL409 low-similarity."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from dldoctor.checks.base import Case, Check, insufficient, not_applicable
from dldoctor.checks.wording import at, counted, percent
from dldoctor.evidence.scores import ScoreEvidence
from dldoctor.finding import Finding, Level, Unjudged


@dataclass(frozen=True)
class LowSimilarity(Check):
    """A scorer of yours rates images and their texts as unrelated.

    ## Why it hurts
    Captions that belong to other images are no error anywhere: the data load, and the model learns chance. A
    model that knows both, CLIP say, sees it.

    ## What to do
    Look at the worst pairs first. Many of them at once hint at a listing, a join or a shard that slipped.

    ## When it is wrong
    A pair counts as unrelated where its image fits its own text no better than texts of other samples, as the
    median of three says. Short or general captions do so now and then: below 10% it is a note.
    """

    rule: ClassVar[str] = "DL409"
    name: ClassVar[str] = "low-similarity"
    level: ClassVar[Level] = Level.WARNING
    by: ClassVar[tuple[str, ...]] = ("check-alignment",)
    needs: ClassVar[tuple[str, ...]] = ("loader", "alignment")

    fewest: int = 8
    """Pairs that must be scored."""
    often: float = 0.1
    """Share of unrelated pairs from which on it is a warning."""

    def judge(self, case: Case) -> Iterator[Finding | Unjudged]:
        """Judge by the pairs that score no better than chance."""
        alignment = case.evidence.alignment
        seen = alignment.scores if alignment is not None else None
        if seen is None:
            yield not_applicable("no scorer is declared (`--scorer FILE:NAME`)")
        elif seen.failed:
            yield insufficient(seen.failed)
        elif seen.pairs < self.fewest:
            yield insufficient(f"{counted(seen.pairs, 'pair')} are too few; it takes {self.fewest}")
        elif seen.unrelated:
            yield self._unrelated(case, seen)

    def _unrelated(self, case: Case, seen: ScoreEvidence) -> Finding:
        spec = case.evidence.loader
        assert spec is not None
        share = seen.unrelated / seen.pairs
        first = seen.worst[0]
        shown = [one for one in seen.worst if one.score <= one.others]
        return self.finding(
            f"{counted(seen.unrelated, 'pair')} of {seen.pairs} ({percent(share)}) score no better than the image does"
            f" with other texts: {at(first.sample)} scores {first.score:.3g}, and {first.others:.3g} with others;"
            f' its text begins "{first.text}"',
            advice="Look at the worst pairs, and at what joins images with texts.",
            level=Level.WARNING if share >= self.often else Level.INFO,
            where=spec.dataset_ref,
            samples=[one.sample for one in shown],
            pairs=seen.pairs,
            unrelated=seen.unrelated,
            worst=[{"sample": str(one.sample), "score": one.score, "others": one.others} for one in shown],
        )
