"""What to say to a role that there is not, in ``--field ROLE=PATH``."""

from __future__ import annotations

from difflib import get_close_matches

from dldoctor.intent import FIELD_ROLES
from dldoctor.roles.names import meant_by

_OFFERED = 3


def unknown_role(role: str, path: str) -> str:
    """Return what is wrong with the role, and those that come nearest: by spelling, and by what fields are called."""
    if offered := _near(role):
        return f"no field role `{role}`; did you mean {' or '.join(f'`{one}`' for one in offered)}?"
    turned = [path] if path in FIELD_ROLES else _near(path)
    if turned:
        return f"no field role `{role}`; the role comes first: `--field {turned[0]}={role}`"
    return f"no field role `{role}`; there is {', '.join(FIELD_ROLES)}"


def _near(name: str) -> list[str]:
    meant = [one for one in meant_by(name) if one in FIELD_ROLES]
    close = get_close_matches(name, FIELD_ROLES, n=1, cutoff=0.5)
    return (meant or close)[:_OFFERED]
