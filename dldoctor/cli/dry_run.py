"""``dldoctor dry-run``: what is in the samples and batches?"""

from __future__ import annotations

from dldoctor.cli.options import RunOptions, TargetArgument


def dry_run(target: TargetArgument = None, *, options: RunOptions) -> int:
    """What is in the samples and batches: structure, sizes, values, failures, time.

    Runs the loader of TARGET for about 100 batches or 30 seconds, in a process of its own, and
    judges what it saw.
    """
    from dldoctor.cli.run import run

    return run("dry-run", target, options)
