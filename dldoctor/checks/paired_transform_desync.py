"""DL406 paired-transform-desync."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from dldoctor.checks.base import Case, Check, insufficient
from dldoctor.checks.causes.boxes import judged
from dldoctor.checks.causes.cards import unread
from dldoctor.checks.wording import at, percent
from dldoctor.evidence.paired_transforms import ApartTransform, PairedTransforms
from dldoctor.finding import Finding, Level, Unjudged


@dataclass(frozen=True)
class PairedTransformDesync(Check):
    """A picture and its mask, boxes or keypoints are turned, mirrored or cut otherwise.

    ## Why it hurts
    Two random transforms that are called one after the other draw their own numbers. The picture is mirrored
    and the mask is not, in half of the samples, and the model learns an average of both.

    ## What to do
    Give picture and target to one call: `torchvision.transforms.v2` with `tv_tensors`, albumentations with
    `mask=` or `bboxes=`, or draw the parameters once and use them for both.

    ## When it is wrong
    Samples are read with a test card in place of each picture that Pillow, OpenCV, torchvision, skimage,
    numpy or h5py read, or that the dataset keeps in memory. A mask must lie as its picture does. Boxes and
    keypoints of one sample under two seeds must lie where the picture was moved to, in whichever format and
    unit fits; those that are the same in all samples, and pictures made of several others, are not judged.
    """

    rule: ClassVar[str] = "DL406"
    name: ClassVar[str] = "paired-transform-desync"
    level: ClassVar[Level] = Level.ERROR
    by: ClassVar[tuple[str, ...]] = ("check-alignment",)
    needs: ClassVar[tuple[str, ...]] = ("loader", "alignment")

    fewest: int = 2
    """Readings that must show it."""

    def judge(self, case: Case) -> Iterator[Finding | Unjudged]:
        """Judge by the readings of test cards."""
        alignment = case.evidence.alignment
        seen = alignment.transforms if alignment is not None else ()
        why = "no sample has a picture that a test card could stand for, with a target that varies"
        if unjudged := unread(case, seen, why):
            yield unjudged
        wrong = [one for one in seen if one.apart and not (one.kind == "boxes" and _of_another_size(case))]
        for one in wrong:
            if one.apart >= self.fewest:
                yield self._apart(case, one)
            else:
                yield insufficient(
                    f"only one reading of {one.readings} shows `{one.target}` apart from `{one.picture}`"
                )

    def _apart(self, case: Case, one: PairedTransforms) -> Finding:
        spec = case.evidence.loader
        assert spec is not None
        told = next(
            (each for each in one.examples if each.picture_turn and each.target_turn), one.examples[0]
        )
        return self.finding(
            f"`{one.target}` does not follow `{one.picture}` in {one.apart} of {one.readings} readings"
            f" ({percent(one.apart / one.readings)}): {_said(told, one)}",
            advice="Give picture and target to one transform call, so that both get the same random parameters.",
            where=spec.dataset_ref,
            samples=dict.fromkeys(each.sample for each in one.examples),
            readings=one.readings,
            apart=one.apart,
            picture=one.picture,
            target=one.target,
            examples=[
                {"sample": str(each.sample), "picture": each.picture_turn, "target": each.target_turn}
                for each in one.examples[:2]
            ],
        )


def _of_another_size(case: Case) -> bool:
    """Whether boxes were made for another size of their picture, of which DL408 tells."""
    verdict = judged(case)
    return verdict is not None and bool(verdict.resized)


def _said(one: ApartTransform, pair: PairedTransforms) -> str:
    where, marks = f"in {at(one.sample)}", pair.kind
    if marks == "mask":
        if one.picture_turn and one.target_turn:
            return f"{where} the picture is {one.picture_turn}, the mask is {one.target_turn}"
        return f"{where} they show different parts, or are turned otherwise"
    if not one.target_turn:
        return f"{where} the {marks} do not lie where the picture was moved to"
    turned = one.picture_turn if one.picture_turn not in (None, "as stored") else "cut or moved"
    return f"{where} the picture is {turned}, the {marks} are as stored"
