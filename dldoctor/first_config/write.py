"""A first config as TOML, with a comment at each guess that says it is one."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

from dldoctor.first_config.entries import Entry, FirstConfig

_BARE = re.compile(r"[A-Za-z0-9_-]+")


def toml(found: FirstConfig, place: Path, *, table: str) -> str:
    """Return the config; paths in it are relative to the file `place`, `table` stands before its keys."""
    head = [
        "# Written by `dldoctor init` from the source alone: nothing was imported or run.",
        "# What is called a guess was said by nobody: check it, since a wrong one gives wrong findings.",
    ]
    top = [f"[{table}]"] if table else []
    blocks = [_block(entry, place.parent, table) for entry in found.entries]
    lead = "\n".join([*head, "", *top, 'fail-on = "error"'])
    return "\n\n".join([lead, *blocks]) + "\n"


def _block(entry: Entry, folder: Path, table: str) -> str:
    target = entry.target
    path = Path(os.path.relpath(target.path, folder)).as_posix()
    name = entry.name if _BARE.fullmatch(entry.name) else _text(entry.name)
    lines = [
        f"[{table + '.' if table else ''}targets.{name}]",
        f"target = {_text(f'{path}:{target.name}')}  # line {target.line}, {target.why}",
    ]
    if target.missing:
        lines.append(
            f"kwargs = {{{', '.join(f'{one} = ...' for one in target.missing)}}}  # it has no default"
        )
    if entry.loader_key is not None:
        lines.append(f"loader = {_text(entry.loader_key)}")
    for key, guess in entry.guesses.items():
        value = f"{path}:{guess.value}" if key == "tokenizer" else guess.value
        lines.append(f"{key} = {_text(value)}  # a guess, from {guess.why}")
    if entry.hints:
        lines += [f"# task = {_text(hint.value)}  # a guess, from {hint.why}" for hint in entry.hints]
    if entry.is_ready:
        return "\n".join(lines)
    why = entry.refused or "To use it, fill in its arguments and take the `# ` away."
    return "\n".join([f"# {why}", *(line if line.startswith("#") else f"# {line}" for line in lines)])


def _text(value: str) -> str:
    """Return a TOML string; JSON's is one."""
    return json.dumps(value)
