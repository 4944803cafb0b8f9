"""How memory is drawn: on a terminal, in the page, and for mprof."""

from __future__ import annotations

from dataclasses import replace

from dldoctor.evidence import Evidence
from dldoctor.evidence.memory import FinePoint, Growth, MemoryEvidence, MemoryPoint, ProcessMemory, Slope
from dldoctor.render.content.memory import process_rows
from dldoctor.render.html import page
from dldoctor.render.mprof import mprof
from dldoctor.render.terminal import plain
from dldoctor.render.terminal.memory import plotted
from dldoctor.report import SCHEMA, Overhead, Report, Tool, dumps, loads

MB = 10**6


def _process(worker: int | None, private: list[int], verdict: str, slope: float) -> ProcessMemory:
    series = tuple(
        MemoryPoint(i + 1, i // 3, 8 * i, float(i), mb * MB, 2 * mb * MB, mb * MB, 50 * MB, 20 + i, 3)
        for i, mb in enumerate(private)
    )
    fine = (FinePoint(1, 0, 0, 0, 8, MB, 20, 3),)
    growth = Growth(verdict, per_1000_samples=Slope(slope, slope, slope))  # type: ignore[arg-type]
    return ProcessMemory(
        "main" if worker is None else "worker", worker, series, growth, fine, threads_first=3, threads_last=3
    )


REPORT = Report(
    schema=SCHEMA, tool=Tool("dldoctor", "0"), command="watch-memory", target="data.py:make", complete=True,
    started_at="2026-01-01T00:00:00Z", duration_s=1.0, overhead=Overhead(), machine={}, loader={}, declared={},
    inferred={}, checks=(), findings=(),
    evidence=Evidence(memory=MemoryEvidence(
        "leak", (_process(None, [50] * 6, "plateau", 0.0), _process(0, [20, 30, 40, 50, 60, 90], "leak", 20e6)),
        epochs=2, turns=2, batches_per_turn=3, samples_per_turn=24, persistent=True, peak_bytes=140 * MB,
        main_peak_bytes=50 * MB, worker_peak_bytes=90 * MB, batch_bytes=MB, batch_tensors=2, started_at_s=1000.0,
    )),
)  # fmt: skip


def test_the_terminal_has_a_row_and_a_plot_for_each_process() -> None:
    """A bar stands where an epoch begins; nothing is wider than 80 columns."""
    text = plain(REPORT)
    assert "worker 0    20 MB  90 MB  90 MB     +20 MB  20 to 25  grows without end" in text
    assert "│" in text
    assert max(map(len, text.splitlines())) <= 80


def test_the_plot_rises_with_the_series() -> None:
    """In signs that the terminal has."""
    row = process_rows(REPORT)[1]
    assert plotted(row, 20, ascii_only=True, bar="!") == "____....::!:----===#"
    assert plotted(process_rows(REPORT)[0], 20, ascii_only=False, bar="│") == "▁▁▁▁▁▁▁▁▁▁│▁▁▁▁▁▁▁▁▁"


def test_the_page_draws_a_line_for_each_process() -> None:
    """As SVG, with a mark for the epoch."""
    html = page(REPORT)
    assert html.count("<polyline") == 2
    assert html.count('class="mark"') == 2
    assert "Private memory of worker 0 over the run, from 20 MB to 90 MB" in html


def test_mprof_reads_main_process_children_and_epochs() -> None:
    """Lines of its own format, in MiB and seconds."""
    lines = mprof(REPORT).splitlines()
    assert lines[0] == "CMDLINE dldoctor watch-memory data.py:make"
    assert lines[1] == "MEM 47.683716 1000.0000"
    assert lines[7] == "CHLD 0 19.073486 1000.0000"
    assert lines[-1] == "FUNC epoch_1 47.6837 1003.0000 47.6837 1005.0000"
    assert mprof(replace(REPORT, evidence=Evidence())) == ""


def test_the_report_survives_json() -> None:
    """Series, verdict and growth come back as they were."""
    assert loads(dumps(REPORT)).evidence.memory == REPORT.evidence.memory


def test_children_of_a_worker_are_told() -> None:
    """With what they take, at the point with most of them."""
    memory = REPORT.evidence.memory
    assert memory is not None
    main, worker = memory.processes
    series = (replace(worker.series[0], children=2, children_bytes=40 * MB), *worker.series[1:])
    with_them = replace(memory, processes=(main, replace(worker, series=series)))
    text = plain(replace(REPORT, evidence=Evidence(memory=with_them)))
    assert "worker 0 had up to 2 child processes, 40 MB" in text
