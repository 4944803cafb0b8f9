"""Entry of the child process that is started for a target on the command line."""

from __future__ import annotations

import importlib.util
import json
import sys
from typing import Any

from dldoctor.errors import TargetError


def run(library: str, request_path: str) -> None:
    """Serve the request in the file `request_path`; `library` is the folder that holds this package."""
    from dldoctor.child.channel import Channel
    from dldoctor.child.request import read_request
    from dldoctor.probes.watch import alarm_die_with_parent

    with open(request_path, encoding="utf-8") as file:
        request = read_request(json.load(file))
    channel = Channel(request.events)
    alarm_die_with_parent()
    import_ours()
    # Ours are imported; from here on the user's names come first, ours last (spawned workers need them).
    sys.path.remove(library)
    sys.path.append(library)
    channel.send("progress", phase="importing torch", elapsed_s=0.0)
    from dldoctor.child.holder import serve

    serve(request, channel, lambda: _load(request))


def import_ours() -> None:
    """Import what later code needs before the user's folder can shadow a module of Python's."""
    import dldoctor.child.holder
    import dldoctor.targets  # noqa: F401


def _load(request: Any) -> Any:
    from dldoctor.child.holder import probes, set_aside_for_good
    from dldoctor.targets import resolve

    if importlib.util.find_spec("torch") is None:
        raise TargetError(
            f"{sys.executable} has no torch; name the training environment with `--python PATH`"
        )
    # Imported while the user's folder cannot yet shadow a module of Python's.
    probes()
    import torch  # noqa: F401 - the user's code does in any case

    set_aside_for_good()
    return resolve(request.target)
