"""How the run went: what was cut short, who died, where it hung, what was printed."""

from __future__ import annotations

import re
from dataclasses import dataclass

from dldoctor.evidence.outcome import Death, Hang, WorkAt
from dldoctor.render.clean_text import clean, clean_lines
from dldoctor.render.content.ids import id_text, place_text
from dldoctor.render.numbers import count, counted, duration, size
from dldoctor.report import Report

_STAGED = re.compile(r"^\S*/dldoctor-[^/\s]+/lib/(?=dldoctor/)")
"""Where our own package lies while a run lasts; what follows is its place in the package."""


@dataclass(frozen=True)
class StackBlock:
    """The stack of one thread, innermost frame first."""

    title: str
    frames: tuple[str, ...]


@dataclass(frozen=True)
class OutcomeRow:
    """One death or hang."""

    sentence: str
    stacks: tuple[StackBlock, ...] = ()
    stderr: tuple[str, ...] = ()


def cut_lines(report: Report) -> tuple[str, ...]:
    """Return what ended early and what was not measured, one sentence each."""
    lines = [clean(sentence, 300) for sentence in report.evidence.outcome.cut]
    if report.evidence.outcome.interrupted and not lines:
        lines.append("interrupted: the figures are of what was read until then")
    told = {check.reason for check in report.checks}  # by the rules that could not judge for that reason
    for branch, reason in report.evidence.missing.items():
        if reason not in told:
            lines.append(f"{clean(branch, 40)} not measured: {clean(reason, 300)}")
    return tuple(lines)


def outcome_rows(report: Report) -> tuple[OutcomeRow, ...]:
    """Return deaths and hangs."""
    outcome = report.evidence.outcome
    return tuple([_death(item) for item in outcome.deaths] + [_hang(item) for item in outcome.hangs])


def printed_lines(report: Report) -> tuple[str, tuple[str, ...]]:
    """Return how much the user's code printed, and the last of it."""
    outcome = report.evidence.outcome
    lines = tuple(clean_lines(outcome.printed))
    total = max(outcome.printed_lines, len(lines))
    return (f"your code printed {counted(total, 'line')}" if total else ""), lines


def _who(at: WorkAt) -> str:
    who = "the main process" if at.worker is None else f"worker {at.worker}"
    sample = f", sample {id_text(at.sample)}" if at.sample is not None else ""
    batch = f", batch {count(at.batch)}" if at.batch is not None else ""
    return f"{who} (last seen at {clean(at.stage, 40)}{sample}{batch})"


def _death(death: Death) -> OutcomeRow:
    how = clean(death.signal, 40) if death.signal else f"exit code {death.exit_code}"
    memory = f"; {size(death.at.rss_bytes)} resident" if death.at.rss_bytes is not None else ""
    limit = f" of {size(death.memory_limit_bytes)} allowed" if memory and death.memory_limit_bytes else ""
    oom = "; the out-of-memory counter rose" if death.out_of_memory else ""
    place = f"; at {place_text(death.where)}" if death.where else ""
    return OutcomeRow(
        f"{_who(death.at)} ended by {how}{memory}{limit}{oom}{place}",
        stderr=tuple(clean_lines(death.stderr_tail)[-8:]),
    )


def _hang(hang: Hang) -> OutcomeRow:
    moving = ", although the code was at work" if hang.moving else ""
    place = f"; held up at {place_text(hang.where)}" if hang.where else ""
    sentence = (
        f"nothing came for {duration(hang.waited_s * 1e9)} (deadline {duration(hang.deadline_s * 1e9)}){moving},"
        f" after {counted(hang.samples_read, 'sample')}{place}"
    )
    blocks = []
    for stack in hang.stacks:
        state = {"R": ", running", "S": ", sleeping", "D": ", waiting for storage"}.get(stack.state, "")
        frames = tuple(_STAGED.sub("", place_text(frame)) for frame in stack.frames)
        blocks.append(StackBlock(f"{_who(stack.at)}, thread {clean(stack.thread, 40)}{state}", frames))
    return OutcomeRow(sentence, stacks=tuple(blocks))
