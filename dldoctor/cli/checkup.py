"""``dldoctor checkup``: is this pipeline healthy?"""

from __future__ import annotations

from dldoctor.cli.options import RunOptions, TargetArgument


def checkup(target: TargetArgument = None, *, options: RunOptions) -> int:
    """Is this pipeline healthy? All checks in one run, the cheapest and most decisive first.

    Runs TARGET for about a minute (--time-budget) under several settings and ends with one list of
    findings, the worst first, each with the command that shows it again. What did not fit into the
    time is said. Without TARGET, all targets of the config file are examined.
    """
    from dldoctor.cli.jobs import plan
    from dldoctor.cli.run import run_all

    return run_all(plan("checkup", target, options), options.output)
