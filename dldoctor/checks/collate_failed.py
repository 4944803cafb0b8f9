"""DL110 collate-failed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from dldoctor.checks.base import Case, Check
from dldoctor.checks.causes.collate import Trouble, collate_is_theirs, level_of, troubles
from dldoctor.checks.dtype_varies import numeric_dtypes
from dldoctor.checks.phrases import histogram, listed, place
from dldoctor.checks.wording import counted
from dldoctor.finding import Finding, Level, Unjudged


@dataclass(frozen=True)
class CollateFailed(Check):
    """The collate function raises.

    ## Why it hurts
    One batch that cannot be made ends the run. With workers the traceback names neither the batch
    nor the sample, and with a shuffle it comes at another step each time.

    ## What to do
    Read the samples that the finding names, at the line that it names. If a single sample is at
    fault, mend or leave out that sample; if every batch fails, mend the collate.

    ## When it is wrong
    Hardly: an exception is a fact. Where its cause is that samples are None (`DL106`), differ in
    structure (`DL107`), in shape (`DL108`) or in image channels (`DL216`), that rule speaks instead.
    For a bare dataset PyTorch's own collate stands in for yours, and its exception is a note.
    """

    rule = "DL110"
    name = "collate-failed"
    level = Level.ERROR
    by = ("dry-run", "sweep")
    needs = ("batches",)

    def judge(self, case: Case) -> Iterator[Finding | Unjudged]:
        """Judge every exception of the collate that no difference of the samples explains."""
        for trouble in troubles(case):
            failure = trouble.failure
            if failure is None or trouble.cause not in ("other", "dtype"):
                continue
            whose = "the collate" if collate_is_theirs(case) else "PyTorch's own collate"
            batches = case.evidence.batches
            # Batches with a sample that raised never reached the collate.
            tried = batches.delivered + batches.failed if batches else failure.count
            number = f"{failure.count} of {counted(max(tried, failure.count), 'batch', 'batches')}"
            culprit, path = failure.culprit, failure.culprit_field or trouble.path
            yield self.finding(
                f"{whose} raised {failure.error}{place(failure.where)} on {number}; {_who(case, trouble)}",
                advice=_advice(case, trouble),
                level=level_of(case, trouble),
                where=failure.where,
                samples=failure.samples if culprit is None else (culprit,),
                error=failure.error,
                batch=[str(one) for one in failure.samples],
                culprit=None if culprit is None else str(culprit),
                field=path or None,
                batches_failed=failure.count,
                batches_tried=tried,
                share=failure.count / max(tried, failure.count, 1),
            )


def _who(case: Case, trouble: Trouble) -> str:
    failure = trouble.failure
    assert failure is not None
    batch = (
        f"samples {listed(failure.samples)}" if len(failure.samples) != 1 else f"sample {failure.samples[0]}"
    )
    first = f"the first was made of {batch}" if failure.samples else "its samples are not known"
    field = case.evidence.sample_field(trouble.path)
    if trouble.cause == "dtype" and field is not None:
        return f"{first}; `{trouble.path}` has several dtypes ({histogram(numeric_dtypes(field))})"
    if failure.culprit is None:
        return first
    odd = f", which differs in `{failure.culprit_field}`" if failure.culprit_field else ""
    return f"{first}; it collates without sample {failure.culprit}{odd}"


def _advice(case: Case, trouble: Trouble) -> str:
    failure = trouble.failure
    assert failure is not None
    if not collate_is_theirs(case):
        return "Name your own collate with `--collate FILE:NAME`."
    if trouble.cause == "dtype":
        return f"Cast `{trouble.path}` to one dtype in the dataset."
    if failure.culprit is not None:
        return f"Mend or leave out sample {failure.culprit}."
    batches = case.evidence.batches
    if batches is not None and batches.delivered == 0:
        return f"Mend the collate{place(failure.where)}: no batch came through."
    return f"Read these samples by `--ids` and mend the collate{place(failure.where)}."
