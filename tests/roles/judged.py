"""The roles of the leaves of made batches, with their names or with all keys renamed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from dldoctor.intent import Inferred
from dldoctor.roles import infer
from dldoctor.roles.observer import digest
from tests.roles.batches import FORMS, made
from tests.roles.text_batches import TEXT_FORMS

CERTAIN = 0.9


@dataclass(frozen=True)
class Judged:
    """One leaf with its true and its inferred role."""

    form: str
    path: str
    true: str
    got: Inferred | None

    @property
    def right(self) -> bool:
        """Whether the role is the true one."""
        return self.got is not None and self.got.role == self.true

    @property
    def wrong_and_certain(self) -> bool:
        """Whether a finding could be an error because of a role that is wrong."""
        return not self.right and self.got is not None and self.got.confidence >= CERTAIN


def judged(*, renamed: bool) -> Iterator[Judged]:
    """Yield the leaves of all forms."""
    for form in (*FORMS, *TEXT_FORMS):
        batches = list(made(form))
        digests = [digest(batch.batch) for batch in batches]
        names = {path: f"k{place}" if renamed else path for place, path in enumerate(digests[0])}
        found = infer([{names[path]: leaf for path, leaf in seen.items()} for seen in digests])
        for path, role in batches[0].truth.items():
            yield Judged(form.__name__, path, role, found.get(names[path]))
