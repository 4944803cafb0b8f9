"""DL405 pair-order."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from dldoctor.checks.base import Case, Check, insufficient, not_applicable
from dldoctor.checks.wording import at, counted, percent
from dldoctor.evidence.file_pairs import CarriedText, FilePairs, ListedTexts
from dldoctor.finding import Finding, Level, Unjudged


@dataclass(frozen=True)
class PairOrder(Check):
    """Image and mask, caption or annotation files are paired wrongly.

    ## Why it hurts
    Two directory listings are zipped, and a listing has no order: on another machine, or after another copy,
    masks belong to other images. Everything loads, and nothing fails.

    ## What to do
    Build the name of one file from the name of the other. Sorting both listings is not enough: one file
    that is missing moves all that follow, and endings of names change the order (`a_1.jpg` comes before
    `a_10.jpg`, and `a_10_mask.png` before `a_1_mask.png`).

    ## When it is wrong
    Files are those that a sample was seen to open. Names are partners where they are equal but for what all
    files of a kind share (`img_001.jpg` and `001_mask.png`), and the partner must exist. Where only numbers
    agree it is a warning; a constant shift of numbers and partners that are drawn at random are notes. In a
    stream of tar archives a text is reported that two samples in a row have and the archives hold once, where
    the key after it has none. A table, JSON file or list of lines beside the files, or named by the dataset, is
    read where one of its columns names the files: a text counts where few rows have it. Texts that a sample
    holds only as tokens are taken from a list of the dataset, once it was seen that changing a row of it changes
    the item. Texts that are drawn at random are a note. A list without names that has a line a file is a warning
    where every file was given the line of its place in a listing that is sorted as text.
    """

    rule: ClassVar[str] = "DL405"
    name: ClassVar[str] = "pair-order"
    level: ClassVar[Level] = Level.ERROR
    by: ClassVar[tuple[str, ...]] = ("check-alignment",)
    needs: ClassVar[tuple[str, ...]] = ("loader", "alignment")

    fewest: int = 4
    """Samples with a pair of files below which names prove nothing."""

    def judge(self, case: Case) -> Iterator[Finding | Unjudged]:
        """Judge by the names of the files that samples opened."""
        alignment = case.evidence.alignment
        parts = alignment.parts if alignment is not None else None
        if parts is not None and parts.carried is not None:
            yield self._carried(case, parts.carried)
            return
        listed = parts.listed if parts is not None else None
        if listed is not None and listed.wrong:
            yield self._listed(case, listed)
            return
        seen = parts.files if parts is not None else None
        if seen is None or not seen.pairs:
            if listed is None:
                yield not_applicable(
                    "no two files of a sample, and no list of files and texts, were seen to be read"
                )
        elif not seen.by:
            yield not_applicable("the names of the files that a sample opens have nothing in common")
        elif seen.pairs < self.fewest:
            yield insufficient(f"{counted(seen.pairs, 'pair')} of files prove nothing")
        elif seen.wrong:
            yield self._wrong(case, seen)

    def _carried(self, case: Case, seen: CarriedText) -> Finding:
        spec = case.evidence.loader
        assert spec is not None
        sample, owner, lacking = seen.examples[0]
        return self.finding(
            f"`{seen.path}` of {counted(seen.carried, 'sample')} of {seen.samples} is that of the sample before:"
            f" {at(sample)} has the text of key {owner}, and key {lacking}, which follows it in the archive, has none",
            advice="Forget all fields before the next key, and skip a sample whose text is missing or give it a text"
            " of its own.",
            where=spec.dataset_ref,
            samples=[one for one, _, _ in seen.examples],
            carried=seen.carried,
            samples_seen=seen.samples,
            field=seen.path,
            keys=[[key, without] for _, key, without in seen.examples],
        )

    def _listed(self, case: Case, seen: ListedTexts) -> Finding:
        spec = case.evidence.loader
        assert spec is not None
        first = seen.examples[0]
        owner, level, why = f"which the list has for {first.owner}", self.level, ""
        if seen.by == "order":
            owner, level = f"the line of {first.owner}", Level.WARNING
            why = "; the files were sorted as text, 10 before 2"
        if seen.drawn:
            level, why = Level.INFO, "; the text is drawn at random, so it may be meant"
        return self.finding(
            f"the text of {counted(seen.wrong, 'sample')} of {seen.samples} ({percent(seen.wrong / seen.samples)})"
            f" belongs to another file by {seen.path}: {at(first.sample)} opens {first.file} with `{first.text}`,"
            f" {owner}{why}",
            advice="Sort the files by their numbers, or write the names of the files into the list."
            if seen.by == "order"
            else "Take the file name and the text from the same row of the list: a listing of the folder has an"
            " order of its own (10 comes before 2).",
            level=level,
            where=spec.dataset_ref,
            samples=[one.sample for one in seen.examples],
            wrong=seen.wrong,
            pairs=seen.samples,
            list=seen.path,
            texts=seen.where,
            examples=[
                {"sample": str(one.sample), "file": one.file, "text": one.text, "owner": one.owner}
                for one in seen.examples[:5]
            ],
        )

    def _wrong(self, case: Case, seen: FilePairs) -> Finding:
        spec = case.evidence.loader
        assert spec is not None
        first = seen.examples[0]
        level, why = self._level(seen)
        return self.finding(
            f"{counted(seen.wrong, 'pair')} of files of {seen.pairs} ({percent(seen.wrong / seen.pairs)}) belong to"
            f" different samples by {seen.by}: {at(first.sample)} opens {first.first} beside {first.second}, and"
            f" {first.partner} exists{why}",
            advice="Build the name of one file from the name of the other: both listings are sorted already."
            if seen.sorted_both
            else "Build the name of one file from the name of the other, so that no listing's order counts.",
            level=level,
            where=spec.dataset_ref,
            samples=[one.sample for one in seen.examples],
            wrong=seen.wrong,
            pairs=seen.pairs,
            by=seen.by,
            examples=[
                {"sample": str(one.sample), "first": one.first, "second": one.second, "partner": one.partner}
                for one in seen.examples[:5]
            ],
        )

    def _level(self, seen: FilePairs) -> tuple[Level, str]:
        if seen.drawn:
            return Level.INFO, "; the second file is drawn at random, so it may be meant"
        if seen.offset is not None and seen.partners < seen.pairs:
            return (
                Level.INFO,
                f"; all numbers differ by {seen.offset}, which may be how the files are numbered",
            )
        return (Level.ERROR, "") if seen.by == "name" else (Level.WARNING, "")
