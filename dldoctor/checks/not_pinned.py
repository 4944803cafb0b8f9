"""DL712 not-pinned."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from dldoctor.checks.base import Case, Check, insufficient, not_applicable
from dldoctor.checks.causes.speed import level
from dldoctor.checks.wording import counted
from dldoctor.finding import Finding, Level, Unjudged


@dataclass(frozen=True)
class NotPinned(Check):
    """Pinned memory is asked for, and some tensors of the batch are not pinned.

    ## Why it hurts
    `pin_memory=True` walks mappings, tuples and lists. An object of another type is passed on as it
    is, without a word: its tensors stay in pageable memory, and `.to(device, non_blocking=True)`
    copies them slowly and blocks.

    ## What to do
    Give the type a method `pin_memory(self)` that pins its tensors and returns itself, or hand the
    batch on as a dict.

    ## When it is wrong
    Without an accelerator torch pins nothing, and nothing is lost. The rule looks at the form of a
    batch of this run, so that it speaks before the training machine does.
    """

    rule = "DL712"
    name = "not-pinned"
    level = Level.WARNING
    by = ("profile",)
    needs = ("loader", "profile")

    def judge(self, case: Case) -> Iterator[Finding | Unjudged]:
        """Look for tensors that pinning cannot reach."""
        profile, spec = case.evidence.profile, case.evidence.loader
        assert profile is not None
        assert spec is not None
        if not spec.pin_memory:
            yield not_applicable("pinned memory is not asked for")
            return
        if profile.payload is None:
            yield insufficient("no batch was seen")
            return
        hidden = profile.payload.unpinnable
        if not hidden:
            return
        path, kind, _ = hidden[0]
        count = sum(one[2] for one in hidden)
        yield self.finding(
            f"`pin_memory=True` cannot reach {counted(count, 'tensor')} of {profile.payload.tensors} in a batch: "
            f"`{kind}`{'' if path == 'batch' else f' at `{path}`'} has no `pin_memory` method",
            advice=f"Give `{kind}` a `pin_memory(self)` method that pins its tensors and returns itself.",
            level=level(case, self.level),
            where=spec.collate_ref or spec.dataset_ref,
            tensors=profile.payload.tensors,
            unpinned=count,
            types=[{"path": place, "type": name, "tensors": number} for place, name, number in hidden],
        )
