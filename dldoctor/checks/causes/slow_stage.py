"""Which stage holds a loader up, unless a more specific rule explains it, and what would help."""

from __future__ import annotations

from dldoctor.checks.base import Case
from dldoctor.checks.causes.cores import crowded, room_for_more
from dldoctor.checks.causes.speed import (
    bursty,
    handed_over,
    millis,
    oversized,
    reopened,
    repeated,
    scattered,
)
from dldoctor.evidence.profile import ProfileEvidence, StageShare, WaitPart
from dldoctor.evidence.trial import Trial

MAIN = ("sampler", "deserialise", "pin")
"""What happens in the main process, whatever the number of workers."""
SHARE = 0.6
"""A stage dominates from this share of a batch's time in its worker on."""
LEAST_NS = 1_000_000
LOCK = 0.25
"""A stage that waits for a lock is lost time from this share on: what is done under the lock is another stage."""


def slow_stage(case: Case, share: float = SHARE, least_ns: int = LEAST_NS) -> StageShare | None:
    """Return the stage that dominates, unless a more specific rule explains it."""
    profile = case.evidence.profile
    if profile is None:
        return None
    for stage in profile.stages:
        batch_wide = stage.stage in ("collate", "serialise")
        least = LOCK if stage.stage == "lock" else share
        per = stage.batch_ns - stage.runqueue_ns if batch_wide else stage.typical_ns
        if min(stage.share, stage.typical_share) <= least or stage.low <= least - 0.1 or per <= least_ns:
            continue
        return None if _explained(case, profile, stage) else stage
    return None


def main_process(profile: ProfileEvidence, share: float, least_ns: int) -> WaitPart | None:
    """Return the phase of the main process that the consumer mostly waits for, if there is one."""
    parts = profile.attribution.parts if profile.attribution else ()
    for part in parts:
        each = part.total_ns / max(1, profile.batches)
        if part.what in MAIN and part.share > share and each > least_ns:
            sent = part.what != "sampler" and any(
                handed_over(profile, name, 0.1) for name in ("stack", "tensors", "uint8")
            )
            return None if sent else part
    return None


def contended(profile: ProfileEvidence) -> Trial | None:
    """Return the trial of reading alone, where samples wait far less without other workers."""
    trial = profile.trial("alone")
    sure = trial is not None and trial.low > 1.3 and trial.ratio > 1.5
    return trial if trial is not None and sure and trial.saved_ns > 500_000 else None


def faster_decoder(profile: ProfileEvidence, times: float = 1.25) -> Trial | None:
    """Return the fastest of the decoders that were tried, where it is faster for sure."""
    tried = [one for one in profile.trials if one.name == "decoder" and one.sure and one.ratio >= times]
    return max(tried, key=lambda one: one.ratio, default=None)


def remedy(case: Case, stage: StageShare) -> str:
    """Return the one step that would help this stage most."""
    profile = case.evidence.profile
    assert profile is not None
    more = room_for_more(case)
    if stage.stage == "lock":
        return "Give each worker a handle of its own, so that no lock is needed, or hold it for less; more workers would only queue."
    if stage.stage == "own threads":
        return _remedy_for_threads(profile)
    if stage.blocked_ns > 0.5 * max(1, stage.batch_ns):
        return _remedy_for_waiting(profile, more)
    return _remedy_for_computing(profile, stage, more)


def _remedy_for_threads(profile: ProfileEvidence) -> str:
    known = [one.cores for one in profile.workers if one.cores > 0]
    if known and sum(known) / len(known) > 0.6:
        return "Make what these threads compute cheaper: they keep a core of each worker busy; a profiler of threads (py-spy) shows where."
    return "Start more of these threads, or more workers: they wait, and leave the cores free."


def _remedy_for_waiting(profile: ProfileEvidence, more: bool | None) -> str:
    if (trial := contended(profile)) is not None:
        return (
            "Find what the workers share (a lock, a connection, storage at its limit) and give each its own: alone a sample "
            f"waits {millis(trial.then_ns)} instead of {millis(trial.now_ns)}, so more workers would wait longer."
        )
    if more is False:
        return "Read earlier or in larger pieces; the cores are full, and more workers would not help."
    return "Let more workers wait at the same time (`num_workers`), or read earlier and in larger pieces."


def _remedy_for_computing(profile: ProfileEvidence, stage: StageShare, more: bool | None) -> str:
    cheaper = _cheaper(profile, stage)
    if not more:
        return cheaper
    if not profile.num_workers:
        return f"Start workers (`num_workers`), which work beside your step; or: {cheaper}"
    return f"Start more workers (`num_workers`): there are free cores, and `dldoctor sweep` finds how many; or: {cheaper}"


def _cheaper(profile: ProfileEvidence, stage: StageShare) -> str:
    if stage.stage == "decode":
        trial = faster_decoder(profile)
        if trial is not None:
            return (
                f"Decode with {trial.detail}: {millis(trial.then_ns)} a picture instead of {millis(trial.now_ns)}, "
                f"measured on your files ({trial.low:.2g} to {trial.high:.2g} times as fast)."
            )
        return "Decode less or faster: a smaller stored size, another decoder, or decode once and store the result."
    if stage.stage == "tokenise":
        return "Tokenise once before training and store the ids."
    if stage.stage == "unseen":
        return "Profile this code by itself (py-spy shows compiled code too): no timer can be put into it."
    if stage.stage == "collate" and not stage.path:
        return "Read whole batches (`__getitems__`, or lists of indices with `batch_size=None`), so that nothing need be stacked."
    if stage.stage == "collate":
        return "Make the collate do less for each sample: move work into `__getitem__`, and stack once."
    if stage.stage == "serialise":
        return "Send fewer bytes and fewer objects from the workers."
    return "Make this statement cheaper, or do its work once before training."


def _explained(case: Case, profile: ProfileEvidence, stage: StageShare) -> bool:
    if bursty(profile) is not None and stage.stage == profile.stalls.stage:  # type: ignore[union-attr]
        return True
    if stage.stage in ("collate", "serialise"):
        sent = (("stack", 0.2), ("tensors", 0.2), ("uint8", 0.1))
        if any(handed_over(profile, name, least) for name, least in sent):
            return True
    if stage.stage == "lock":
        return False
    if stage.stage == "storage read" and reopened(profile) is not None:
        return True
    if stage.stage in ("decode", "transform") and oversized(profile) is not None:
        return True
    # Waiting is no work that could be repeated: it can be shared out to more workers.
    worked = stage.cpu_ns >= stage.blocked_ns
    if stage.stage != "collate" and (
        scattered(profile) is not None or (worked and repeated(case) is not None)
    ):
        return True
    return crowded(case) is not None and stage.runqueue_ns + stage.blocked_ns > stage.cpu_ns
