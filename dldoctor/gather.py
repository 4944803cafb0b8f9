"""What the child sent, put together as one tree of evidence."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from dldoctor.child.events import Gathered
from dldoctor.commands import probe_of
from dldoctor.evidence import Evidence
from dldoctor.evidence.batches import BatchesEvidence, MixedBatches
from dldoctor.evidence.outcome import Failure, OutcomeEvidence
from dldoctor.intent import Limits
from dldoctor.machine import measure


def gather(found: Gathered, limits: Limits, expected: tuple[str, ...]) -> Evidence:
    """Put what the child sent together as one tree; `expected` branches are missed if absent."""
    resolved = found.resolved
    branches = dict(found.branches)
    if "batches" in branches:
        branches["batches"] = _with_trials(branches["batches"], found.collate_trials)
    if "failures" in branches:
        branches["failures"] = _with_autopsies(branches["failures"], found.collate_trials)
    known = branches.get("failures", ())
    branches["failures"] = (*known, *(one for one in found.more_failures if not _is_known(one, known)))
    outcome = OutcomeEvidence(
        deaths=tuple(found.deaths),
        hangs=tuple(found.hangs),
        cut=tuple(dict.fromkeys(found.cut)),
        interrupted=found.interrupted,
        printed=found.printed,
        printed_lines=found.printed_lines,
    )
    machine = measure(limits, python=resolved.get("python", ""), torch=resolved.get("torch"))
    missing = dict(found.missing)
    absent = [branch for branch in expected if branch not in branches]
    reasons = {
        **found.left_out,
        **{name: f"dldoctor itself failed in `{name}`" for name in found.probe_faults},
    }
    left_out = {branch: reason for branch in absent if (reason := reasons.get(probe_of(branch)))}
    missing = {**left_out, **missing}
    for branch in absent:
        missing.setdefault(branch, _why_missing(found))
    left_out = {branch: reason for branch, reason in left_out.items() if missing[branch] == reason}
    return Evidence(machine=machine, outcome=outcome, missing=missing, left_out=tuple(left_out), **branches)


def _why_missing(found: Gathered) -> str:
    if found.interrupted:
        return "the run was interrupted before"
    if found.deaths:
        return "the process died before"
    return "the loader hung before" if found.hangs else "the probe had no time for it"


def _with_trials(batches: BatchesEvidence, trials: list[dict[str, Any]]) -> BatchesEvidence:
    """Add what batches put together for the test showed."""
    mixed = {(entry.what, entry.path): entry for entry in batches.mixed}
    for trial in trials:
        if "refused" in trial:
            key = (trial["what"], trial["path"])
            entry = mixed.get(key, MixedBatches(trial["what"], trial["path"], 0, 0))
            if not entry.failed and not entry.collated:
                mixed[key] = replace(entry, refused=trial["refused"])
        for part in trial.get("mended", ()):
            key = (part["what"], part["path"])
            if key in mixed:
                mixed[key] = replace(mixed[key], mended=part["mended"] or bool(mixed[key].mended))
    used = {trial["field"]: trial["used"] for trial in trials if "used" in trial}
    dropped = tuple(replace(one, used=used.get(one.path)) for one in batches.dropped)
    return replace(batches, mixed=tuple(mixed.values()), dropped=dropped)


def _is_known(again: Failure, failures: tuple[Failure, ...]) -> bool:
    """Whether a later probe met a fault of the same samples that the loader had met."""
    return any(
        (one.stage, one.kind, one.where) == (again.stage, again.kind, again.where)
        and set(again.samples) <= set(one.samples)
        for one in failures
    )


def _with_autopsies(failures: tuple[Failure, ...], trials: list[dict[str, Any]]) -> tuple[Failure, ...]:
    """Name the sample without which a failing batch collates."""
    culprits = {tuple(trial["batch"]): trial for trial in trials if "batch" in trial}
    return tuple(
        replace(failure, culprit=trial["culprit"], culprit_field=trial["field"])
        if failure.stage == "collate" and (trial := culprits.get(failure.samples)) is not None
        else failure
        for failure in failures
    )
