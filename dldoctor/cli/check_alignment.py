"""``dldoctor check-alignment``: do image, text, audio, boxes and labels of one row belong together?"""

from __future__ import annotations

from dldoctor.cli.options import RunOptions, TargetArgument
from dldoctor.cli.options.alignment import AlignmentGroup


def check_alignment(target: TargetArgument = None, *, own: AlignmentGroup, options: RunOptions) -> int:
    """Do image, text, audio, boxes and labels of one row belong together?

    Reads samples of TARGET, puts them together with its own collate, and traces every row of every
    field to the sample that it came from. Compares names and sizes of the files behind a sample, and
    the samples that several workers deliver with those that one process reads. With -o page.html, rows
    are shown as a person needs them: pictures with their boxes, sounds, decoded text.
    """
    from dldoctor.cli.jobs import plan
    from dldoctor.cli.row_folder import RowFolder
    from dldoctor.cli.run import run_all
    from dldoctor.diagnose import diagnose
    from dldoctor.progress import OnProgress
    from dldoctor.report import Report
    from dldoctor.request import Request

    jobs = plan("check-alignment", target, options)
    folder = RowFolder.of(own.dump, several=len(jobs) > 1, loader=options.target.loader)

    def judge(request: Request, on_progress: OnProgress) -> Report:
        report = diagnose(request, on_progress)
        if folder is not None:
            folder.write(report, request.target)
        return report

    return run_all(tuple(own.lay_over(job) for job in jobs), options.output, judge=judge)
