"""What takes the batches of a sweep, and which settings it looks at."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any

import typer

from dldoctor.cli.jobs import Job
from dldoctor.cli.options import parse
from dldoctor.errors import ConfigError
from dldoctor.sweep.trace import TraceError, step_times

_CONSUMER = "Consumer"
_POINTS = "Settings to look at"
GLANCE_BATCHES = 32
"""Batches that are read with the settings as they are, for what is not a matter of speed."""
BUDGETS = ("data-wait", "samples-per-s")
"""Budgets that `--check` can judge."""


@dataclass(frozen=True)
class SweepGroup:
    """Options of `dldoctor sweep` alone."""

    step_jitter: Annotated[
        float | None,
        typer.Option(
            min=0.0, metavar="SHARE", rich_help_panel=_CONSUMER,
            help="Standard deviation of a --step-ms step over its mean.",
        ),
    ] = None  # fmt: skip
    host_ms: Annotated[
        float | None,
        typer.Option(
            min=0.0, metavar="MS", rich_help_panel=_CONSUMER,
            help="Part of a --step-ms step in which the main process computes instead of waiting.",
        ),
    ] = None  # fmt: skip
    step_from: Annotated[
        Path | None,
        typer.Option(
            metavar="TRACE.json", rich_help_panel=_CONSUMER,
            help="Take the lengths of the steps from a trace of torch.profiler.",
        ),
    ] = None  # fmt: skip
    workers: Annotated[
        Any,
        typer.Option(
            metavar="I,J,...", parser=parse.indices, rich_help_panel=_POINTS,
            help="Numbers of workers, instead of 0 to some more than there are cores.",
        ),
    ] = None  # fmt: skip
    prefetch: Annotated[
        Any,
        typer.Option(
            metavar="I,J,...", parser=parse.indices, rich_help_panel=_POINTS,
            help="Prefetch factors, instead of 1, 2 and 4.",
        ),
    ] = None  # fmt: skip
    vary: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=A,B", rich_help_panel=_POINTS,
            help="Try another setting at the recommended point: batch_size, pin_memory, persistent_workers, "
            "in_order, start_method or sharing_strategy. Repeatable.",
        ),
    ] = None  # fmt: skip
    grid: Annotated[
        bool, typer.Option("--grid", help="Measure every point, twice.", rich_help_panel=_POINTS)
    ] = False
    check: Annotated[
        bool,
        typer.Option(
            "--check", rich_help_panel=_POINTS,
            help="Only measure the current setting and judge the budgets data-wait and samples-per-s.",
        ),
    ] = False  # fmt: skip

    def lay_over(self, job: Job) -> Job:
        """Return the job with these options.

        Raises:
            ConfigError: a trace holds no steps, a setting is not known, or there is nothing to check.
        """
        request = job.request
        budgets = request.intent.budgets
        if self.check and not any(name in budgets for name in BUDGETS):
            raise ConfigError(
                "`--check` needs a budget to hold the loader against; declare `data-wait` or `samples-per-s` "
                "with `--budget NAME=VALUE` or in the config file"
            )
        if self.check and "data-wait" in budgets and not self._has_consumer(request.intent):
            raise ConfigError(
                "the budget `data-wait` needs a consumer; give `--step-ms`, `--step` or `--step-from`"
            )
        return replace(job, request=replace(request, options={**request.options, **self._given()}))

    def _has_consumer(self, intent: Any) -> bool:
        return bool(intent.step_ms or intent.step or self.step_from)

    def _given(self) -> dict[str, Any]:
        given: dict[str, Any] = {
            "step_jitter": self.step_jitter,
            "host_ms": self.host_ms,
            "workers": list(self.workers) if self.workers else None,
            "prefetch": list(self.prefetch) if self.prefetch else None,
            "vary": parse.varied(self.vary) if self.vary else None,
            "grid": self.grid,
            "check": self.check,
            "loader_batches": GLANCE_BATCHES,
        }
        if self.step_from is not None:
            try:
                given["step_times_s"] = list(step_times(self.step_from.read_text(encoding="utf-8")))
            except OSError as error:
                raise ConfigError(f"cannot read {self.step_from}: {error.strerror}") from error
            except TraceError as error:
                raise ConfigError(f"{self.step_from}: {error}") from error
        return {name: value for name, value in given.items() if value}
