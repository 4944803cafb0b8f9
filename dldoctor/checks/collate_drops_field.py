"""DL111 collate-drops-field."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from dldoctor.checks.base import Case, Check
from dldoctor.checks.causes.collate import collate_is_theirs, troubles_of
from dldoctor.checks.phrases import listed, samples_named
from dldoctor.checks.wording import counted
from dldoctor.evidence.batches import DroppedField
from dldoctor.finding import Finding, Level, Unjudged


@dataclass(frozen=True)
class CollateDropsField(Check):
    """A field that samples have is missing in the batch, without an error.

    ## Why it hurts
    PyTorch's `default_collate` takes the keys of the first sample of a batch for all of them. If
    that sample lacks an optional key, the key of every other sample in the batch is thrown away.
    The loop then skips a loss (`if "boxes" in batch`) or trains on a part of the labels, and
    nothing says so.

    ## What to do
    Return the key from every sample (with an empty value), or collect the keys of all samples in
    the `collate_fn`.

    ## When it is wrong
    A collate of your own that leaves a field out of every batch does so on purpose (paths, names):
    a note. A field that the collate renames, joins or turns into tokens is not left out: for map-style
    datasets this is tried by exchanging the field between samples. Streams and collates that draw random
    numbers cannot be tried so, and the note says it.
    """

    rule = "DL111"
    name = "collate-drops-field"
    level = Level.ERROR
    needs = ("samples", "batches")

    def judge(self, case: Case) -> Iterator[Finding | Unjudged]:
        """Judge fields that are dropped now and then, then those that never arrive."""
        batches = case.evidence.batches
        assert batches is not None
        # Where the collate also raises for a key that varies, DL107 tells the whole of it.
        varying = {f.path for f in case.evidence.sample_fields if f.absent.count}
        told = varying if troubles_of(case, "structure") else set()
        dropped = [one for one in batches.dropped if one.path not in told]
        accidents = [one for one in dropped if _by_accident(case, one, varying)]
        for one in accidents:
            yield self._lost(case, one)
        chosen = [one for one in dropped if one not in accidents and not _arrives(case, one)]
        # A batch that depends on the field has it under another name, joined with others, or as tokens.
        chosen = [one for one in chosen if not one.used]
        if chosen:
            names = listed([f"`{one.path}`" for one in chosen])
            untried = [one.path for one in chosen if one.used is None]
            doubt = "" if not untried else _DOUBT.format(names=listed([f"`{one}`" for one in untried]))
            yield self.finding(
                f"the collate leaves {names} out of every batch{doubt}",
                advice="Nothing, if the model does not need it; otherwise add it to the batch.",
                level=Level.INFO,
                fields=[one.path for one in chosen],
                untried=untried,
            )

    def _lost(self, case: Case, one: DroppedField) -> Finding:
        field = case.evidence.sample_field(one.path)
        total = one.batches + one.kept_batches
        lacking = field.absent if field else None
        why = ""
        if lacking is not None and lacking.count:
            why = f"; {samples_named(lacking.samples, lacking.count)} {_lack(lacking.count)} it"
        spec = case.evidence.loader
        return self.finding(
            f"`{one.path}` was dropped from {one.batches} of {counted(total, 'batch', 'batches')} although "
            f"{samples_named(one.samples)} in {'it' if one.batches == 1 else 'them'} had it{why}",
            advice=f"Return `{one.path}` from every sample, or collect the keys of all samples in the collate.",
            level=Level.ERROR if collate_is_theirs(case) else Level.INFO,
            where=spec.collate_ref if spec else None,
            samples=one.samples,
            field=one.path,
            batches_dropped=one.batches,
            batches_kept=one.kept_batches,
            samples_lacking=lacking.count if lacking else 0,
        )


_DOUBT = "; {names} may be in it under another name or joined with others: that could not be tried"


def _lack(number: int) -> str:
    return "lacks" if number == 1 else "lack"


def _by_accident(case: Case, one: DroppedField, varying: set[str]) -> bool:
    """Some batches have it, or PyTorch's own collate lost it: that never leaves out on purpose."""
    spec = case.evidence.loader
    return one.kept_batches > 0 or bool(spec and spec.default_collate and one.path in varying)


def _arrives(case: Case, one: DroppedField) -> bool:
    """Tell whether the field reached the batch under another name."""
    field = case.evidence.sample_field(one.path)
    return field is not None and field.reaches is not None
