"""``dldoctor check-workers``: does anything change with workers, epochs, seeds or the start method?"""

from __future__ import annotations

from dldoctor.cli.options import RunOptions, TargetArgument


def check_workers(target: TargetArgument = None, *, options: RunOptions) -> int:
    """Whether anything changes with workers, epochs, seeds or the start method.

    Runs TARGET under several settings, each in processes of its own, and compares: the same items in
    several workers and two epochs, two runs with one seed, workers against none, each start method.
    """
    from dldoctor.cli.run import run

    return run("check-workers", target, options)
