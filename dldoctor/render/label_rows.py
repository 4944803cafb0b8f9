"""Token rows as JSON lines, for tools and for comparing two runs."""

from __future__ import annotations

import json
from dataclasses import asdict, fields

from dldoctor.evidence.label_rows import LabelRow
from dldoctor.report import Report


def label_rows(report: Report) -> str:
    """Return one line a row: what differs from an empty row, and the tokens where they are shown."""
    labels = report.evidence.labels
    if labels is None:
        return ""
    shown = {(one.batch, one.row, one.group): one for one in labels.shown}
    defaults = {one.name: one.default for one in fields(LabelRow)}
    always = ("batch", "row", "sample", "real", "trained")
    lines = []
    for row in labels.rows:
        facts = {
            name: str(value) if name == "sample" and not isinstance(value, int) else value
            for name, value in asdict(row).items()
            if name in always or value != defaults[name]
        }
        facts["group"] = labels.groups[row.group].tokens
        if (one := shown.get((row.batch, row.row, row.group))) is not None:
            facts["tokens"] = [asdict(token) for token in one.tokens]
        lines.append(json.dumps(facts, ensure_ascii=False))
    return "\n".join(lines) + ("\n" if lines else "")
