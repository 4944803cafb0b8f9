"""Find an object of the user's by its address."""

from __future__ import annotations

from collections.abc import Mapping
from types import ModuleType
from typing import Any

from dldoctor.errors import TargetError, nearest
from dldoctor.foreign import attribute
from dldoctor.targets.address import parse_address
from dldoctor.targets.importing import import_holder
from dldoctor.targets.user_code import run_user_code


def find_object(text: str, *, option: str, allow_script: bool = False) -> Any:
    """Return the object that an option such as ``--collate FILE:NAME`` names."""
    address = parse_address(text)
    if address.name is None:
        raise TargetError(f"`{option} {text}` names no object; write `{option} FILE:NAME`")
    module = import_holder(address, allow_script=allow_script, main=False)
    return find_name(module, address.holder, address.name)


def find_name(module: ModuleType, holder: str, name: str) -> Any:
    """Follow a dotted name from a module; the keys of a dict count as names."""
    found: Any = module
    seen = holder
    for i, part in enumerate(name.split(".")):
        if isinstance(found, Mapping):
            if part not in found:
                known = [k for k in found if isinstance(k, str)]
                raise TargetError(f"no `{part}` in {seen}{nearest(part, known)}")
            found = found[part]
        else:
            found = _attribute(found, part, seen)
        seen = f"{seen}{'.' if i else ':'}{part}"
    return found


def _attribute(owner: Any, part: str, seen: str) -> Any:
    missing = object()
    value = run_user_code(f"reading `{part}` of {seen}", lambda: attribute(owner, part, missing))
    if value is missing:
        known = [n for n in dir(owner) if not n.startswith("__")]
        raise TargetError(f"no `{part}` in {seen}{nearest(part, known)}")
    return value
