"""DL216 channel-mix."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from dldoctor.checks.base import Case, Check, not_applicable
from dldoctor.checks.causes.collate import Trouble, level_of, troubles, troubles_of
from dldoctor.checks.causes.lineage import dropped_always
from dldoctor.checks.causes.pixels import holds_images, image_kinds, mixed_in_batches
from dldoctor.checks.phrases import histogram, place, rarest_first, tally_facts
from dldoctor.checks.wording import counted
from dldoctor.evidence.distribution import Tally
from dldoctor.evidence.fields import FieldEvidence
from dldoctor.finding import Finding, Level, SampleId, Unjudged


@dataclass(frozen=True)
class ChannelMix(Check):
    """Grey, alpha, CMYK, palette or 16-bit images reach the batch beside RGB ones, unconverted.

    ## Why it hurts
    A batch with one channel beside three cannot be stacked and raises at a random step. Where each
    batch holds one kind only, nothing raises before the first convolution, and a palette index or
    a 16-bit value read as brightness is wrong without any error.

    ## What to do
    Convert each image when it is opened: `Image.open(path).convert("RGB")`. Scale 16-bit images to
    8 bits first (`convert` cuts off what is above 255). For transparent images paint the background
    first, since dropping alpha shows whatever colour lies under it.

    ## When it is wrong
    It speaks where the mix shows in the batches or the collate cannot take it. Files of several
    modes that the dataset or the collate converts are not reported. Images in a list that the
    model's own processor converts later are a note.
    """

    rule = "DL216"
    name = "channel-mix"
    level = Level.ERROR
    needs = ("samples",)

    def judge(self, case: Case) -> Iterator[Finding | Unjudged]:
        """Judge the image fields of the samples."""
        refused = {one.path: one for one in troubles_of(case, "channels")}
        fields = [
            field
            for field in case.evidence.sample_fields
            if field.path in refused or holds_images(case, field)
        ]
        if not fields:
            yield not_applicable("no field holds images")
            return
        for field in fields:
            what, kinds = image_kinds(case, field)
            trouble = refused.get(field.path)
            if len(kinds) < 2 or (trouble is None and _another_speaks(case, field)):
                continue
            mixed = mixed_in_batches(case, field, what)
            level, consequence = _consequence(case, field, trouble, mixed)
            if level is not None:
                yield self._report(field, what, kinds, level, consequence, trouble)

    def _report(
        self,
        field: FieldEvidence,
        what: str,
        kinds: tuple[Tally, ...],
        level: Level,
        consequence: str,
        trouble: Trouble | None,
    ) -> Finding:
        failure = trouble.failure if trouble else None
        convert = (
            "Scale 16-bit images to 8 bits" if what == "dtype" else 'Convert images with `.convert("RGB")`'
        )
        odd: tuple[SampleId, ...] = tuple(one for tally in rarest_first(kinds)[:-1] for one in tally.examples)
        return self.finding(
            f"images in `{field.path}` have {counted(len(kinds), what)}: {histogram(kinds)}; {consequence}",
            advice=f"{convert} where the dataset opens them.",
            level=level,
            where=failure.where if failure else None,
            samples=odd,
            field=field.path,
            differs_in=what,
            kinds=tally_facts(kinds),
            share=1 - kinds[0].count / max(1, sum(tally.count for tally in kinds)),
            error=failure.error if failure else None,
            batches_failed=trouble.failed if trouble else 0,
        )


def _another_speaks(case: Case, field: FieldEvidence) -> bool:
    """A dtype that the collate cannot promote is told as an exception; a dropped field harms nobody."""
    raised = any(one.failure and one.path == field.path for one in troubles(case))
    return raised or dropped_always(case, field)


def _consequence(
    case: Case, field: FieldEvidence, trouble: Trouble | None, mixed: bool | None
) -> tuple[Level | None, str]:
    if trouble is not None and trouble.failure is not None:
        failure = trouble.failure
        number = counted(max(trouble.failed, failure.count), "batch", "batches")
        return level_of(case, trouble), f"the collate raised {failure.kind}{place(failure.where)} on {number}"
    if mixed:
        return Level.ERROR, "they reach the batches unconverted"
    if trouble is not None:
        return level_of(case, trouble), "the collate cannot stack them, though no batch of this run held both"
    if mixed is False:
        return None, ""
    if _kept_as_tensors(case, field):
        return (
            Level.RISK,
            "the collate keeps them in a list, and a model made for one kind cannot take the others",
        )
    return Level.INFO, "what the batches hold of them was not seen"


def _kept_as_tensors(case: Case, field: FieldEvidence) -> bool:
    batch = case.evidence.batch_field(field.reaches or field.path)
    return batch is not None and batch.container.endswith(("[Tensor]", "[ndarray]")) and not field.modes
