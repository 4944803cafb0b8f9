"""The process that holds the target: it loads it, never iterates it, and forks for each probe.

A probe therefore always starts fresh: one read in the parent would turn lazy handles and
generators into findings that the user's program does not have.
"""

from __future__ import annotations

import gc
import os
import sys
import traceback
from collections.abc import Callable
from typing import Any

from dldoctor.child import alarm
from dldoctor.child.channel import Channel
from dldoctor.child.early_forks import EarlyForks
from dldoctor.child.probe_fork import Probe, cannot_fork, run_probe
from dldoctor.child.request import ChildRequest
from dldoctor.child.session import Session
from dldoctor.child.threads import beside_main
from dldoctor.child.time_plan import TimePlan

SOCKET_FOLDER_CHARACTERS = 60
"""A socket's path may have some 100 characters; multiprocessing adds about 35 to its folder."""
MAKE_THEIR_OWN = {"sharding"}
"""Probes that make the target in processes of their own: it may need the surroundings that only these have."""
READ_NOTHING = {"needs"}
"""Probes that read no sample."""


def probes() -> dict[str, Probe]:
    """Return all probes by name."""
    from dldoctor.probes import behaviour, class_maps, collate_trial, loader, needs, protocol
    from dldoctor.probes.alignment.placeholders.run import run as placeholders
    from dldoctor.probes.alignment.rows.run import run as rows
    from dldoctor.probes.alignment.run import run as alignment
    from dldoctor.probes.labels.run import run as labels
    from dldoctor.probes.memory import cause, consumer
    from dldoctor.probes.memory import run as memory
    from dldoctor.probes.overlap.run import run as overlap
    from dldoctor.probes.probe_pictures.run import run as pictures
    from dldoctor.probes.profile import probe as profile
    from dldoctor.probes.sharding import probe as sharding
    from dldoctor.probes.sweep import probe as sweep

    return {
        **behaviour.probes(),
        "loader": loader.run,
        "protocol": protocol.run,
        "collate": collate_trial.run,
        "class_maps": class_maps.run,
        "overlap": overlap,
        "sweep": sweep.run,
        "profile": profile.run,
        "labels": labels,
        "alignment": alignment,
        "placeholders": placeholders,
        "rows": rows,
        "pictures": pictures,
        "memory": memory.run,
        "memory-step": consumer.run,
        "memory-cause": cause.run,
        "needs": needs.run,
        "sharding": sharding.run,
    }


def serve(request: ChildRequest, channel: Channel, load: Callable[[], Any]) -> None:
    """Load the target with `load` and run the probes of the request, each in a fork of this process."""
    set_aside_for_good()
    alarm.arm(request.staging)
    keep_temporary_folders(request.staging)
    session = Session(request, channel, "import")
    session.note("import")
    plan = TimePlan(request)
    if set(request.probes) <= MAKE_THEIR_OWN:
        for name in request.probes:
            run_probe(name, probes()[name], None, request, channel)
        channel.send("done")
        return
    pipeline = _load(session, load)
    if pipeline is None:
        channel.send("done")
        return
    channel.send("evidence", branch="loader", value=pipeline.spec, phase="import")
    channel.send("resolved", torch=_torch_version(), python=sys.version.split()[0])
    session.leave_note("threads", beside_main())
    plan.loaded(pipeline.spec, shares_out=bool(request.shares) and _shares_out(pipeline, request))
    session.leave_note("import_s", plan.import_s)
    table, early = probes(), EarlyForks(pipeline, request, channel)
    for number, name in enumerate(request.probes):
        if number == 1:  # the rates of the first probe are the loader's own, and nothing runs beside it
            early.start([one for one in request.probes[number:] if plan.has_room(one)], table)
        share = plan.slice(name)
        if isinstance(share, str):
            channel.send("left-out", probe=name, reason=share)
        elif name not in READ_NOTHING and session.read_note("barren"):
            channel.send("left-out", probe=name, reason="the stream gave nothing before the deadline")
        else:
            run_probe(name, table[name], pipeline, request, channel, share, early.take(name))
    early.end()
    channel.send("done")


def _shares_out(pipeline: Any, request: ChildRequest) -> bool:
    from dldoctor.probes.sharding.groups import shares_out

    return shares_out(pipeline, request.target)


def set_aside_for_good() -> None:
    """Keep the collector from what there is: each fork would look through it (half a second), and copy its pages."""
    gc.collect()
    gc.freeze()


def _load(session: Session, load: Callable[[], Any]) -> Any:
    from dldoctor.errors import DldoctorError
    from dldoctor.probes.asks import with_asks

    try:
        pipeline = load()
        return pipeline if cannot_fork() else with_asks(pipeline, session.staging)
    except DldoctorError as error:
        session.channel.send("unresolved", message=str(error), error=type(error).__name__, **_extra(error))
    except SystemExit as error:
        session.channel.send(
            "unresolved",
            message=f"the target ended the process with sys.exit({error.code!r})",
            error="TargetError",
        )
    except Exception:  # noqa: BLE001 - a fault of ours; the user's own are TargetErrors by now
        session.channel.send("fault", traceback=traceback.format_exc(), phase="import")
    return None


def _extra(error: Exception) -> dict[str, Any]:
    names = getattr(error, "names", None)
    return {"names": list(names)} if names else {}


def _torch_version() -> str | None:
    torch = sys.modules.get("torch")
    return None if torch is None else str(torch.__version__)


def keep_temporary_folders(staging: str) -> None:
    """Let multiprocessing put its sockets below our own folder, so that none is left after a kill."""
    import multiprocessing

    folder = os.path.join(staging, "mp")
    if len(folder) > SOCKET_FOLDER_CHARACTERS:
        return  # the sockets below it would have names that the system refuses
    os.makedirs(folder, exist_ok=True)
    config = getattr(multiprocessing.current_process(), "_config", None)
    if isinstance(config, dict) and "tempdir" not in config:
        config["tempdir"] = folder
