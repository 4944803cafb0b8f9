"""``dldoctor check-labels``: which tokens are trained, padded, masked, packed?"""

from __future__ import annotations

from dldoctor.cli.options import RunOptions, TargetArgument
from dldoctor.cli.options.labels import LabelsGroup


def check_labels(target: TargetArgument = None, *, own: LabelsGroup, options: RunOptions) -> int:
    """Which tokens are trained, padded, masked, packed?

    Runs the loader of TARGET for about 100 batches or 30 seconds and looks at every row as the
    model gets it: after truncation, collate and packing. Shows rows with each token in the colour
    of what it is to the loss, and compares them with the samples that they came from.
    """
    from dldoctor.cli.destinations import write_whole
    from dldoctor.cli.jobs import plan
    from dldoctor.cli.roles_file import written
    from dldoctor.cli.run import run_all
    from dldoctor.diagnose import diagnose
    from dldoctor.progress import OnProgress
    from dldoctor.render.label_rows import label_rows
    from dldoctor.report import Report
    from dldoctor.request import Request

    def judge(request: Request, on_progress: OnProgress) -> Report:
        report = diagnose(request, on_progress)
        if own.dump is not None:
            write_whole(own.dump, label_rows(report).encode("utf-8", "replace"))
        if own.roles_out is not None:
            write_whole(own.roles_out, written(report.inferred).encode("utf-8", "replace"))
        return report

    jobs = plan("check-labels", target, options)
    return run_all(tuple(own.lay_over(job) for job in jobs), options.output, judge=judge)
