"""Probe ``sharding``: run the ranks, put together what they were given, and send it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Literal

from dldoctor.child.session import Session
from dldoctor.errors import DldoctorError
from dldoctor.probes.sharding import gather
from dldoctor.probes.sharding.ranks import Ended, World, launch, launch_together
from dldoctor.targets.address import parse_address

REAL = 4
"""Ranks that run for real, at most."""
EPOCHS = 2
SECONDS = 60.0
"""Time for the epochs of all ranks where the user gave no budget."""


def run(pipeline: Any, session: Session) -> None:
    """Send the branch ``coverage``; `pipeline` is null where the target was not made in this process."""
    spec = session.request.target.spec
    try:
        parse_address(spec)
    except DldoctorError as error:
        if pipeline is None:
            session.channel.send("unresolved", message=str(error), error=type(error).__name__)
        else:
            session.missing("coverage", "a live object cannot be made again in the interpreter of each rank")
        return
    world, notes = plan(session)
    ended, reference = _first(world, session, pipeline)
    if any(one.result.get("needs_group") for one in ended) and world.group == "none":
        world, note = with_group(world)
        notes.append(note)
        ended, reference = launch(world, session, "group"), None
    if refused(ended, session, pipeline is None):
        return
    head = next((one.made for one in ended if one.made), None)
    if head is None:
        _never_made(ended, session, pipeline is None)
        return
    if pipeline is None:
        session.evidence("loader", head["spec"])
        session.channel.send("resolved", torch=head["torch"], python=_python())
    reason = gather.why_not(ended)
    if reason is not None:
        session.missing("coverage", reason)
        return
    reference = reference or _reference(world, session, ended)
    complete = reference if reference is not None and reference.result.get("epochs") else None
    session.evidence("coverage", gather.coverage(world, ended, complete, tuple(notes)))


def _first(world: World, session: Session, pipeline: Any) -> tuple[list[Ended], Ended | None]:
    """Run the ranks, and beside them what reads everything where one is known to be wanted and costs no time."""
    worlds = {"first": world}
    if world.size == 1 and pipeline is not None and pipeline.spec.kind == "iterable":
        worlds["reference"] = _reading_everything(world)
    found = launch_together(worlds, session)
    return found["first"], found["reference"][0] if "reference" in found else None


def _never_made(ended: list[Ended], session: Session, alone: bool) -> None:
    """Say that the target was made in no rank."""
    said = f"making the target came to no end: rank {ended[0].rank} {ended[0].error}"
    if alone:
        session.channel.send("unresolved", message=said, error="TargetError")
    else:
        session.missing("coverage", said)


def plan(session: Session) -> tuple[World, list[str]]:
    """Choose the ranks that run, and for how many epochs."""
    size = session.limits.ranks or 1
    options = session.request.options
    epochs = session.limits.epochs if session.limits.epochs > 1 else int(options.get("epochs") or EPOCHS)
    ranks = tuple(range(size)) if size <= REAL else (0, 1, size // 2, size - 1)
    world = World(size, ranks, epochs=epochs, seconds=session.limits.time_budget_s or SECONDS)
    notes = []
    if size > REAL:
        listed = ", ".join(str(rank) for rank in ranks)
        notes.append(f"of {size} ranks, {listed} ran for real")
    chosen = options.get("launch") or "auto"
    if chosen == "torchrun":
        world, note = with_group(world)
        notes.append(note)
    return replace(world, may_need_group=chosen == "auto"), notes


def with_group(world: World) -> tuple[World, str]:
    """Return the same ranks with a process group, and the sentence that says so."""
    if len(world.ranks) == world.size:
        return replace(
            world, group="gloo"
        ), "each rank joined a real process group (gloo) before the target was made"
    note = "each rank was given a stand-in for the process group, in which nothing is sent"
    return replace(world, group="fake"), note


def refused(ended: list[Ended], session: Session, alone: bool) -> bool:
    """Tell the parent that the target cannot be made, where that holds for every rank that came so far."""
    results = [one.result for one in ended if one.state == "run"]
    faults = [result["fault"] for result in results if "fault" in result]
    if faults:
        raise RuntimeError(faults[0])
    errors = [result["refused"] for result in results if "refused" in result]
    if not errors or len(errors) < len(results):
        return False
    first = errors[0]
    if alone:
        extra = {"names": first["names"]} if first["names"] else {}
        session.channel.send("unresolved", message=first["message"], error=first["kind"], **extra)
    else:
        session.missing("coverage", f"the target could not be made in a rank: {first['message']}")
    return True


def _reference(world: World, session: Session, ended: list[Ended]) -> Ended | None:
    """Let one process read everything, where the ranks alone do not tell what there is to read."""
    kinds = {one.result.get("kind") for one in ended if one.state == "run"}
    if kinds == {"map"} and not gather.something_is_missing(world, ended):
        return None
    if session.stopping or not kinds & {"map", "iterable"}:
        return None
    return launch(_reading_everything(world), session, "reference")[0]


def _reading_everything(world: World) -> World:
    """Return a world of one rank without workers, which is given all that there is."""
    group: Literal["none", "gloo"] = "none" if world.group == "none" else "gloo"
    return replace(
        world, size=1, ranks=(0,), group=group, epochs=1, workers=0, extras=False, may_need_group=False
    )


def _python() -> str:
    import sys

    return sys.version.split()[0]
