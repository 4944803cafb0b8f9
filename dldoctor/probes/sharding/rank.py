"""What runs in the interpreter of one simulated rank."""

from __future__ import annotations

import json
import os
import sys
import time
import traceback
from typing import Any

from dldoctor.foreign import attribute


def run(library: str, job_path: str) -> None:
    """Do the job in the file `job_path` and leave ``result.json`` beside it."""
    from dldoctor.child.request import read_request
    from dldoctor.probes.watch import alarm_die_with_parent

    with open(job_path, encoding="utf-8") as file:
        job = json.load(file)
    request = read_request(job["request"])
    alarm_die_with_parent()
    _import_ours()
    # Ours are imported; from here on the user's names come first, ours last (spawned workers need them).
    sys.path.remove(library)
    sys.path.append(library)
    from dldoctor.child import alarm
    from dldoctor.probes.sharding.user_code import leave, pulse

    alarm.arm(request.staging)
    _keep_temporary_folders(job["folder"])
    import torch  # noqa: F401 - a pulse after what takes longest

    pulse(job)
    try:
        result = _guarded(job, request)
    except Exception:  # noqa: BLE001 - a fault of ours must not look like the user's
        result = {"fault": traceback.format_exc()}
    leave(job["folder"], "result.json", result)
    _wait_for_the_others(job)
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    # The user's threads and exit handlers have nothing more to do here, and may hang.
    os._exit(0)


def _import_ours() -> None:
    import dldoctor.child.channel
    import dldoctor.probes.sharding.measure
    import dldoctor.targets  # noqa: F401


def _keep_temporary_folders(folder: str) -> None:
    import multiprocessing

    config = attribute(multiprocessing.current_process(), "_config", None)
    own = os.path.join(folder, "mp")
    os.makedirs(own, exist_ok=True)
    if isinstance(config, dict) and "tempdir" not in config:
        config["tempdir"] = own


def _guarded(job: dict[str, Any], request: Any) -> dict[str, Any]:
    from dldoctor.errors import DldoctorError
    from dldoctor.probes.frames import describe_failure
    from dldoctor.probes.sharding.groups import lacks_group
    from dldoctor.probes.sharding.measure import measure
    from dldoctor.probes.sharding.user_code import UserFailedError

    try:
        return measure(job, request)
    except DldoctorError as error:
        names = list(getattr(error, "names", ()))
        refused = {"message": str(error), "kind": type(error).__name__, "names": names}
        return {"refused": refused, "needs_group": lacks_group(str(error))}
    except UserFailedError as error:
        cause = error.__cause__
        assert cause is not None
        return {"raised": describe_failure(cause), "needs_group": lacks_group(str(cause))}


def _wait_for_the_others(job: dict[str, Any]) -> None:
    """Keep the store of a real group alive until every rank is done with it."""
    if job["group"] != "gloo":
        return
    deadline = time.monotonic() + job["timeout_s"]
    while time.monotonic() < deadline:
        if all(os.path.exists(os.path.join(one, "result.json")) for one in job["folders"]):
            return
        time.sleep(0.05)
