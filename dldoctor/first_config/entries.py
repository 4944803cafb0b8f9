"""The targets of a first config: which of those found are written, under which name, with which guesses."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

from dldoctor.errors import TargetError
from dldoctor.first_config.guesses import Guess, agreed, role_of, tasks_of, tokenizer_of
from dldoctor.first_config.makers import SourceFile, SourceTarget
from dldoctor.first_config.project import is_telling, own_files
from dldoctor.targets.import_safety import refuse_scripts

_FILLING: Final = re.compile(
    r"^(?:make|get|build|create|load|setup|prepare)_|_?(?:data)?_?(?:loaders?|sets?|module)$|^data_?(?:loaders?|sets?)$",
    re.IGNORECASE,
)
"""Words of a name that say that it is a loader, which a target's name need not repeat."""


@dataclass(frozen=True)
class Entry:
    """One target of the config."""

    name: str
    target: SourceTarget
    loader_key: str | None = None
    guesses: dict[str, Guess] = field(default_factory=dict)
    """Key to what is written for it, with its reason."""
    hints: tuple[Guess, ...] = ()
    """Tasks that are less than a guess: the file suggests several, or none but another file does."""
    refused: str | None = None
    """Why the file cannot be imported as it stands; the entry is then written as a comment."""

    @property
    def is_ready(self) -> bool:
        """Whether it can be judged without more being said."""
        return not self.refused and not self.target.missing


@dataclass(frozen=True)
class FirstConfig:
    """What was found in a project."""

    entries: tuple[Entry, ...]
    files: int
    """Python files that were read."""
    unread: tuple[Path, ...] = ()
    """Files that this Python cannot parse."""
    inner: tuple[str, ...] = ()
    """Where no target was found: places that make a loader inside something else."""
    cut: bool = False
    """Whether there are more files than are read."""


def look(folder: Path) -> FirstConfig:
    """Return the targets of a project; datasets only where it has no loader."""
    files = own_files(folder)
    read = {path: SourceFile.read(path) for path in files.paths if is_telling(path)}
    targets = [(file, target) for file in read.values() if file for target in file.targets()]
    if any(target.made.kind == "loader" for _, target in targets):
        targets = [(file, target) for file, target in targets if target.made.kind == "loader"]
    tasks = {path: tasks_of(file) for path, file in read.items() if file}
    elsewhere = agreed(
        replace(guess, why=f"{guess.why} of {path.relative_to(folder)}")
        for path, found in tasks.items()
        for guess in found
    )
    entries = _named(
        [
            _entry(file, target, key, called, tasks[file.path] or ((elsewhere,) if elsewhere else ()))
            for file, target in targets
            for key, called in target.made.parts or ((None, target.name),)
        ]
    )
    unread = tuple(path for path, file in read.items() if file is None)
    inner: tuple[str, ...] = ()
    if not entries:
        inner = tuple(
            f"{path.relative_to(folder)}:{line}"
            for path, file in read.items()
            if file
            for line, _ in file.inner_loaders()
        )
    return FirstConfig(entries, len(files.paths), unread, inner, files.cut)


def _entry(
    file: SourceFile, target: SourceTarget, key: str | None, called: str, tasks: tuple[Guess, ...]
) -> Entry:
    own = agreed(tasks_of(file))
    found = {
        "role": role_of(*(name for name in (key, called, target.name) if name)),
        "task": own,
        "tokenizer": tokenizer_of(file),
    }
    try:
        refuse_scripts(target.path)
        refused = None
    except TargetError as error:
        refused = str(error)
    return Entry(
        name=_short(target, called) if called else f"{_short(target, target.name)}-{key}",
        target=target,
        loader_key=key,
        guesses={name: guess for name, guess in found.items() if guess},
        hints=() if own else tuple({one.value: one for one in tasks}.values()),
        refused=refused,
    )


def _named(entries: list[Entry]) -> tuple[Entry, ...]:
    """Give each entry a name of its own; those that can be judged at once choose first."""
    names: dict[int, str] = {}
    for number in sorted(range(len(entries)), key=lambda number: not entries[number].is_ready):
        names[number] = _unused(entries[number], set(names.values()))
    return tuple(replace(entry, name=names[number]) for number, entry in enumerate(entries))


def _short(target: SourceTarget, name: str) -> str:
    """Return a name without the words that say that it makes a loader; the file's where none is left."""
    return _FILLING.sub("", _FILLING.sub("", name)).strip("_") or target.path.stem


def _unused(entry: Entry, used: set[str]) -> str:
    """Return a name that no entry has yet: the short one, with its file or folder, or numbered."""
    path, plain = entry.target.path, entry.name
    longer = [f"{word}-{plain}" for word in (path.stem, path.parent.name) if word and word != plain]
    numbered = [f"{plain}-{number}" for number in range(2, len(used) + 3)]
    return next(name for name in (plain, *longer, *numbered) if name not in used)
