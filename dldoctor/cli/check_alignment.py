"""``dldoctor check-alignment``: do image, text, audio, boxes and labels of one row belong together?"""

from __future__ import annotations

from dldoctor.cli.options import RunOptions, TargetArgument


def check_alignment(target: TargetArgument = None, *, options: RunOptions) -> int:
    """Do image, text, audio, boxes and labels of one row belong together?

    Reads samples of TARGET, puts them together with its own collate, and traces every row of every
    field to the sample that it came from. Compares names and sizes of the files behind a sample, and
    the samples that several workers deliver with those that one process reads.
    """
    from dldoctor.cli.run import run

    return run("check-alignment", target, options)
