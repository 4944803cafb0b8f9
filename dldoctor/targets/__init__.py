"""From ``file.py:name`` to a live pipeline: the user's code is imported and called here, in the child.

`refuse_scripts` needs no torch and may be called from anywhere; torch is imported by the functions
that need it, not by this package.
"""

from __future__ import annotations

from dldoctor.errors import SeveralLoadersError
from dldoctor.targets.import_safety import refuse_scripts
from dldoctor.targets.listing import Candidate, list_targets
from dldoctor.targets.pipeline import Pipeline
from dldoctor.targets.resolve import from_object, named, resolve

__all__ = [
    "Candidate",
    "Pipeline",
    "SeveralLoadersError",
    "from_object",
    "list_targets",
    "named",
    "refuse_scripts",
    "resolve",
]
