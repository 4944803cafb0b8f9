"""The text of a target, taken apart.

``path/to/file.py:name``, ``package.module:name``, ``notebook.ipynb:name``, ``hydra:DIR/NAME@node``.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path

from dldoctor.errors import TargetError, nearest
from dldoctor.intent import HYDRA
from dldoctor.targets.user_code import shown

_SUFFIXES = (".py", ".ipynb")
_NAME = re.compile(r"[^\W\d]\w*(\.\w+)*", re.UNICODE)
_MODULE = re.compile(r"[^\W\d]\w*(\.[^\W\d]\w*)*", re.UNICODE)


@dataclass(frozen=True)
class Address:
    """Where an object of the user's is to be found."""

    file: Path | None
    """Absolute path of a Python file or a notebook; null for another target."""
    module: str | None
    """Dotted name of a module target; null for another target."""
    name: str | None
    """Dotted name inside; null where only the file, module or configuration was given."""
    config: Path | None = None
    """Absolute path of a configuration of Hydra's; null for another target."""

    @property
    def holder(self) -> str:
        """The file, module or node as messages name it."""
        if self.config is not None:
            return f"{HYDRA}{shown(self.config.with_suffix(''))}" + (f"@{self.name}" if self.name else "")
        return shown(self.file) if self.file is not None else str(self.module)


def parse_address(text: str) -> Address:
    """Take a target apart; a file must exist, a module is looked for only when it is imported."""
    if text.strip().startswith(HYDRA):
        return _configuration(text.strip())
    holder, name = _split(text.strip())
    if not holder:
        raise TargetError(f"`{text}` names no file; write `path/to/file.py:name` or `package.module:name`")
    if _looks_like_a_file(holder):
        return Address(_existing_file(holder), None, name)
    if not _MODULE.fullmatch(holder):
        raise TargetError(
            f"`{text}` is neither a Python file nor a module name; write `path/to/file.py:name` or "
            "`package.module:name`"
        )
    return Address(None, holder, name)


def _split(text: str) -> tuple[str, str | None]:
    head, colon, tail = text.rpartition(":")
    if not colon or os.sep in tail or "/" in tail:
        return text, None
    if len(head) == 1 and tail.startswith("\\"):
        # A drive letter, not a name.
        return text, None
    if not tail:
        return head, None
    if not _NAME.fullmatch(tail):
        raise TargetError(f"`{tail}` in `{text}` is not a Python name")
    return head, tail


def _looks_like_a_file(holder: str) -> bool:
    return holder.endswith(_SUFFIXES) or "/" in holder or os.sep in holder or Path(holder).is_file()


def _existing_file(holder: str) -> Path:
    path = Path(holder).expanduser().absolute()
    if path.is_dir():
        files = sorted(p.name for p in path.glob("*.py"))
        hint = f"; name one of its files: {', '.join(files[:8])}" if files else ""
        raise TargetError(f"`{holder}` is a folder, not a Python file{hint}")
    if not path.is_file():
        siblings = [p.name for p in path.parent.glob(f"*{path.suffix}")] if path.parent.is_dir() else []
        guess = nearest(path.name, siblings)
        if not path.parent.is_dir():
            guess = f"; there is no folder `{shown(path.parent)}`"
        raise TargetError(f"no file `{holder}`{guess}")
    if path.suffix not in _SUFFIXES:
        raise TargetError(f"`{holder}` is not a Python file (its name does not end in `.py` or `.ipynb`)")
    return path


def _configuration(text: str) -> Address:
    place, at, node = text.removeprefix(HYDRA).partition("@")
    if not place or (at and not node):
        raise TargetError(
            f"`{text}` names no configuration; write `{HYDRA}DIR/NAME` or `{HYDRA}DIR/NAME@node`"
        )
    bare = Path(place).expanduser().absolute()
    for path in (bare, Path(f"{bare}.yaml"), Path(f"{bare}.yml")):
        if path.suffix in (".yaml", ".yml") and path.is_file():
            return Address(None, None, node or None, path)
    if not bare.parent.is_dir():
        raise TargetError(f"no folder `{shown(bare.parent)}` of configurations for `{text}`")
    known = sorted(path.stem for path in bare.parent.glob("*.y*ml"))
    raise TargetError(f"no configuration `{bare.name}` in {shown(bare.parent)}{nearest(bare.name, known)}")
