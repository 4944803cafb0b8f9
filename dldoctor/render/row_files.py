"""The rows to look at as files: PNG, WAV and text, and one line of JSON a row."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from dldoctor.evidence.row_media import MediaRow, RowText
from dldoctor.render.content.row_findings import rules_by_sample
from dldoctor.report import Report

LINES = "rows.jsonl"
NAME = 48
MEDIA = ("png", "wav", "envelope")
"""What stands in files of its own, or can be had from them."""


def row_files(report: Report) -> dict[str, bytes]:
    """Return file name to content, in the order of the rows; equal rows give equal files."""
    found = report.evidence.row_media
    files: dict[str, bytes] = {}
    if found is None:
        return files
    rules = rules_by_sample(report)
    lines = []
    for row in found.rows:
        media = list(_files_of(row))
        files.update(media)
        facts = {
            "number": row.number,
            **_facts(row),
            "rules": [one.rule for one in rules.get(row.sample, ())] if row.sample is not None else [],
            "media": [name for name, _ in media],
        }
        lines.append(json.dumps(facts, ensure_ascii=False))
    files[LINES] = "".join(line + "\n" for line in lines).encode("utf-8", "replace")
    return files


def name_of(text: str) -> str:
    """Return a text as a part of a file name: letters, digits, points and dashes that lead nowhere."""
    plain = re.sub(r"[^A-Za-z0-9._-]+", "_", text)
    return re.sub(r"\.{2,}", ".", plain).strip("._-")[:NAME].strip("._-") or "row"


def text_of(text: RowText) -> str:
    """Return a text with its runs of placeholders numbered."""
    parts = []
    for piece in text.pieces:
        if piece.kind == "placeholder":
            parts.append(f"[{piece.number}: {piece.text} x{piece.count}]")
        elif piece.kind == "padding":
            parts.append(f"[padding x{piece.count}]")
        else:
            parts.append(piece.text)
    return "".join(parts) + ("…" if text.cut else "")


def _files_of(row: MediaRow) -> Iterator[tuple[str, bytes]]:
    start = f"{row.number:05d}-{name_of(row.own_id or str(row.sample if row.sample is not None else 'row'))}"
    counts: dict[str, int] = {}

    def named(kind: str, path: str, ending: str) -> str:
        key = f"{start}-{kind}-{name_of(path)}"
        counts[key] = counts.get(key, 0) + 1
        return f"{key}-{counts[key]}.{ending}" if counts[key] > 1 else f"{key}.{ending}"

    for picture in row.pictures:
        if picture.png:
            kind = "image" if picture.frame is None else f"frame{picture.frame}"
            yield named(kind, picture.path, "png"), base64.b64decode(picture.png)
    for mask in row.masks:
        if mask.png:
            yield named("mask", mask.path, "png"), base64.b64decode(mask.png)
    for sound in row.sounds:
        if sound.wav:
            yield named("audio", sound.path, "wav"), base64.b64decode(sound.wav)
    for text in row.texts:
        yield named("text", text.path, "txt"), (text_of(text) + "\n").encode("utf-8", "replace")


def _facts(row: MediaRow) -> dict[str, Any]:
    """Return all of a row but its media and its number."""
    plain = asdict(row)
    del plain["number"]
    plain["sample"] = row.sample if isinstance(row.sample, (int, str, type(None))) else str(row.sample)
    for kind in ("pictures", "masks", "sounds"):
        plain[kind] = [
            {name: value for name, value in one.items() if name not in MEDIA} for one in plain[kind]
        ]
    return plain
