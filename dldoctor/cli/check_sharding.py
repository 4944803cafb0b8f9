"""``dldoctor check-sharding``: is every item seen once, by one rank and one worker?"""

from __future__ import annotations

from dldoctor.cli.options import RunOptions, TargetArgument
from dldoctor.cli.options.sharding import ShardingGroup


def check_sharding(target: TargetArgument = None, *, own: ShardingGroup, options: RunOptions) -> int:
    """Whether every item is seen once, by one rank and one worker, in a new order each epoch.

    Makes TARGET in an interpreter of its own for each rank of `--ranks N` (at most four for real), with
    the variables that torchrun sets, and runs two epochs. Map-style loaders are asked for their
    indices, and a few batches are read; streams are read. Without `--ranks` workers and epochs are compared.
    """
    from dldoctor.cli.jobs import plan
    from dldoctor.cli.run import run_all

    jobs = plan("check-sharding", target, options)
    return run_all(tuple(own.lay_over(job) for job in jobs), options.output)
