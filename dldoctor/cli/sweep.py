"""``dldoctor sweep``: which workers and prefetch keep the consumer busy on this machine?"""

from __future__ import annotations

from dldoctor.cli.options import RunOptions, TargetArgument
from dldoctor.cli.options.sweep import SweepGroup


def sweep(target: TargetArgument = None, *, own: SweepGroup, options: RunOptions) -> int:
    """Which `num_workers` and `prefetch_factor` keep the consumer busy on this machine.

    Measures a few settings in processes of their own, predicts all others, runs the best against
    the current one in turn, and ends with one line to paste, or with `no significant gain`. About a
    minute; `--time-budget` changes that.
    """
    from dldoctor.cli.jobs import plan
    from dldoctor.cli.run import run_all

    jobs = plan("sweep", target, options)
    return run_all(tuple(own.lay_over(job) for job in jobs), options.output)
