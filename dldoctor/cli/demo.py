"""``dldoctor demo``: a look at the tool with no code of one's own."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Final

import typer

import dldoctor
from dldoctor.cli.options import OutputGroup
from dldoctor.cli.streams import complain
from dldoctor.errors import TargetError

Healthy = Annotated[bool, typer.Option("--healthy", help="Its healthy twin instead.")]

ILL: Final = "make_loader_with_swallowed_errors"
HEALTHY: Final = "make_loader"


def demo(*, healthy: Healthy = False, output: OutputGroup) -> int:
    """A report on a small shipped pipeline of photographs and captions, which hides a fault.

    The status is 0 whatever is found.
    """
    from dldoctor.cli.jobs import Job
    from dldoctor.cli.run import run_all
    from dldoctor.intent import Intent, TargetOptions
    from dldoctor.request import Request

    module = sample("captions")
    if module.is_relative_to(Path.cwd()):
        module = module.relative_to(Path.cwd())
    target = f"{module}:{HEALTHY if healthy else ILL}"
    request = Request(command="dry-run", target=TargetOptions(spec=target), intent=Intent(role="train"))
    outcome = run_all((Job("demo", request, fail_on="never"),), output)
    if not output.quiet:
        twin = "dldoctor demo" if healthy else "dldoctor demo --healthy"
        complain(f"this was `dldoctor dry-run --role train {target}`; the twin is `{twin}`")
    return outcome


def sample(name: str) -> Path:
    """Return the module of a shipped sample pipeline, installed or in a checkout.

    Raises:
        TargetError: this copy of dldoctor has no samples, as a zip of the package alone.
    """
    package = Path(dldoctor.__file__).parent
    for folder in (package / "_samples", package.parent / "sample_datasets"):
        module = folder / name / "pipeline.py"
        if module.is_file():
            return module
    raise TargetError(f"this copy of dldoctor was installed without the sample pipeline `{name}`")
