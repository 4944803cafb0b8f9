"""DL611 incomplete-members."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from dldoctor.checks.base import Case, Check
from dldoctor.checks.causes.archives import lost_keys, members_do_not_group, renamed_by_dots
from dldoctor.checks.phrases import listed, tally_facts
from dldoctor.checks.wording import counted
from dldoctor.evidence.archives import ArchiveEvidence
from dldoctor.finding import Finding, Level, SourceRef, Unjudged


@dataclass(frozen=True)
class IncompleteMembers(Check):
    """Members of tar archives do not group into whole samples.

    ## Why it hurts
    The key of a sample ends at the first dot of the base name. `b.v2.jpg` and `b.v2.txt` are fields
    `v2.jpg` and `v2.txt` of sample `b`, which then has no `jpg` and is skipped, often without a
    word. Members that do not lie together are read as two samples, each with a part of the fields;
    a field that occurs twice raises or overwrites the first.

    ## What to do
    Write the members of a sample one after the other, all under one base name whose only dot is the
    one before the field: `b_v2.jpg`, `b_v2.txt`. Dots in folder names do no harm.

    ## When it is wrong
    A field that only some samples have, and that the pipeline takes either way, is a note. Longer
    field names on purpose (`a.jpg`, `a.seg.png`) are not reported.
    """

    rule = "DL611"
    name = "incomplete-members"
    level = Level.ERROR
    needs = ("archives",)

    def judge(self, case: Case) -> Iterator[Finding | Unjudged]:
        """Judge what is missing, twice, apart or cut off."""
        archives = case.evidence.archives
        assert archives is not None
        renamed, lost = renamed_by_dots(archives), lost_keys(case)
        if archives.incomplete and archives.keys:
            harmful = bool(renamed or lost or members_do_not_group(case))
            yield self._found(
                case,
                archives,
                _missing(archives, renamed, lost),
                _advice(harmful, renamed),
                level=Level.ERROR if harmful else Level.INFO,
                examples=[str(one) for tally in archives.incomplete for one in tally.examples],
                lost=lost,
            )
        if archives.split:
            stream = case.evidence.loader is None or case.evidence.loader.kind != "map"
            yield self._found(
                case,
                archives,
                f"the members of {counted(len(archives.split), 'key')} do not lie together "
                f"({listed(archives.split, shown=3)}), a stream reads each as several samples",
                "Write the members of a sample one after the other.",
                level=Level.ERROR if stream else Level.INFO,
                examples=list(archives.split),
            )
        for names, one, many in (
            (
                archives.duplicated,
                "member occurs twice in its archive",
                "members occur twice in their archive",
            ),
            (
                archives.truncated,
                "archive ends early or cannot be read",
                "archives end early or cannot be read",
            ),
        ):
            if names:
                yield self._found(
                    case,
                    archives,
                    f"{counted(len(names), one, many)}: {listed(names, shown=3)}",
                    "Write the archive again from its source.",
                    level=Level.ERROR,
                    examples=list(names),
                )

    def _found(
        self,
        case: Case,
        archives: ArchiveEvidence,
        message: str,
        advice: str,
        *,
        level: Level,
        examples: list[str],
        **facts: Any,
    ) -> Finding:
        where: SourceRef | None = case.evidence.loader.dataset_ref if case.evidence.loader else None
        return self.finding(
            message,
            advice=advice,
            level=level,
            where=where,
            # Keys are names inside archives, not indices: they stand in the facts.
            keys=examples[:20],
            archives=archives.archives,
            members=archives.members,
            samples_in_archives=archives.keys,
            fields=tally_facts(archives.fields),
            incomplete=tally_facts(archives.incomplete),
            incomplete_keys=archives.incomplete_keys,
            dotted=list(archives.dotted[:20]),
            **facts,
        )


def _missing(archives: ArchiveEvidence, renamed: dict[str, tuple[str, ...]], lost: int) -> str:
    lacking = [f"`{one.value}` in {one.count}" for one in archives.incomplete]
    head = f"{archives.incomplete_keys} of {counted(archives.keys, 'sample')} in the archives lack a field"
    if archives.incomplete_keys == 1:
        head = f"1 of {counted(archives.keys, 'sample')} in the archives lacks a field"
    named = next(iter(renamed.items()), None)
    why = f"; `{named[1][0]}` stands where `{named[0]}` is expected" if named else ""
    gone = f"; {counted(lost, 'sample')} never came out of the dataset" if lost else ""
    return f"{head} ({listed(lacking, shown=3)}){why}{gone}"


def _advice(harmful: bool, renamed: dict[str, tuple[str, ...]]) -> str:
    if renamed:
        return "Name members with no dot but the one before the field (`b_v2.jpg`, not `b.v2.jpg`)."
    if harmful:
        return "Add the missing members, or write the archives without these samples."
    return "Nothing, if the field is optional."
