"""DL109 dtype-varies."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from dldoctor.checks.base import Case, Check
from dldoctor.checks.causes.collate import troubles
from dldoctor.checks.phrases import histogram, listed, rarest_first, tally_facts
from dldoctor.evidence.distribution import Tally
from dldoctor.evidence.fields import FieldEvidence
from dldoctor.finding import Finding, Level, Unjudged

NUMERIC = ("float", "bfloat", "int", "uint", "bool", "complex")


@dataclass(frozen=True)
class DtypeVaries(Check):
    """A numeric field comes in several dtypes.

    ## Why it hurts
    The dtype of the batch then depends on which samples meet. Without workers `torch.stack`
    promotes (one float64 sample makes the whole batch float64); in a worker, `default_collate`
    casts every sample to the dtype of the first one, and raises where that cannot be done (an int64
    sample before a float32 one). The model meets "expected Float but found Double", or a loss that
    takes class numbers meets floats, at a step that the shuffle decides.

    ## What to do
    Cast in the dataset, for every sample and on every path: `torch.as_tensor(x, dtype=torch.float32)`.

    ## When it is wrong
    Where your own collate casts all samples to one dtype on purpose, or keeps the values out of the
    batch, it is a note. Texts and objects have no dtype, and None is not one.
    """

    rule = "DL109"
    name = "dtype-varies"
    level = Level.WARNING
    needs = ("samples",)

    def judge(self, case: Case) -> Iterator[Finding | Unjudged]:
        """Judge each numeric field of the samples."""
        # Images of several modes are DL216's; where a batch raised for it, DL110 says so.
        spoken = {one.path for one in troubles(case) if one.cause == "channels" or one.failure is not None}
        for field in case.evidence.sample_fields:
            dtypes = numeric_dtypes(field)
            if len(dtypes) < 2 or field.path in spoken or len(field.modes) > 1:
                continue
            level, consequence = _consequence(case, field)
            minority = rarest_first(dtypes)[:-1]
            yield self.finding(
                f"`{field.path}` has {len(dtypes)} dtypes: {histogram(dtypes)}; {consequence}",
                advice=f"Cast `{field.path}` to one dtype in the dataset.",
                level=level,
                samples=[one for tally in minority for one in tally.examples],
                field=field.path,
                dtypes=tally_facts(dtypes),
            )


def numeric_dtypes(field: FieldEvidence) -> tuple[Tally, ...]:
    """Return the numeric dtypes of a field; plain numbers count by their type."""
    if field.container == "PIL.Image":
        return ()
    found = {tally.value: tally for tally in field.dtypes if tally.value.startswith(NUMERIC)}
    for tally in field.containers:
        if tally.value in ("int", "float", "bool") and tally.value not in found:
            found[tally.value] = tally
    return tuple(found.values())


def _consequence(case: Case, field: FieldEvidence) -> tuple[Level, str]:
    """Return what became of it in the batches, as far as that is known."""
    spec = case.evidence.loader
    batch = case.evidence.batch_field(field.reaches or field.path)
    into = numeric_dtypes(batch) if batch else ()
    if len(into) > 1:
        names = listed([one.value for one in into])
        return Level.WARNING, f"the dtype of a batch changes with its samples ({names})"
    if spec is not None and spec.default_collate and spec.given != "dataset":
        cast = f"; the batches of this run came out as {into[0].value}" if into else ""
        return Level.WARNING, f"PyTorch's collate lets the samples that meet decide the dtype{cast}"
    if not into:
        return Level.INFO, "it was not seen in the batches under that name"
    return Level.INFO, f"all batches of this run hold {into[0].value}"
