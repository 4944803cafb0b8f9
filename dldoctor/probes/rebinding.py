"""A function that was replaced, replaced where modules of the user hold it by its name too."""

from __future__ import annotations

import sys
from typing import Any

from dldoctor.foreign import attribute
from dldoctor.probes.frames import is_first_party


def replace_names(original: Any, other: Any) -> None:
    """Reach the modules of the user that imported a function by its name."""
    for module in list(sys.modules.values()):
        if is_first_party(attribute(module, "__file__", None) or "<unknown>"):
            for name, value in list(vars(module).items()):
                if value is original:
                    setattr(module, name, other)
