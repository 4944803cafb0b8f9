"""DL116 mutates-storage."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from dldoctor.checks.base import Case, Check, insufficient, not_applicable
from dldoctor.checks.causes.other_item import mutations
from dldoctor.evidence.protocol import Reread
from dldoctor.finding import Finding, Level, Unjudged

_PLACE = re.compile(r"\[[^\[\]]*\]")


@dataclass(frozen=True)
class MutatesStorage(Check):
    """Reading an item changes the data that the dataset stores.

    ## Why it hurts
    Each epoch starts from what the one before left: pixels drift, labels are shifted twice, texts
    get their prefix again and again. Workers that are started anew for each epoch hide it, since
    each works on a fresh copy; without workers, or with `persistent_workers=True`, it shows.

    ## What to do
    Copy before changing in place, or use an operation that returns a new value:

        image = self.images[index].clone()     # numpy: .copy(); list or dict: copy.deepcopy
        image -= self.mean

    ## When it is wrong
    Caches and counters that do not change what is returned are not reported. The item is read three
    times with the same random numbers, and must differ for this to be reported.
    """

    rule = "DL116"
    name = "mutates-storage"
    level = Level.ERROR
    needs = ("loader", "protocol")

    def judge(self, case: Case) -> Iterator[Finding | Unjudged]:
        """Report each attribute once."""
        spec, protocol = case.evidence.loader, case.evidence.protocol
        assert spec is not None
        assert protocol is not None
        if spec.kind != "map":
            yield not_applicable("a stream has no index to read twice")
            return
        if not protocol.rereads:
            yield insufficient("no item could be read twice")
            return
        by_attribute: dict[str, list[Reread]] = {}
        for item in mutations(case.evidence):
            by_attribute.setdefault(_container(item.storage_changed or ""), []).append(item)
        for attribute, items in by_attribute.items():
            yield self._changed(case, attribute, items)

    def _changed(self, case: Case, attribute: str, items: list[Reread]) -> Finding:
        spec, protocol = case.evidence.loader, case.evidence.protocol
        assert spec is not None
        assert protocol is not None
        first = items[0]
        if len({item.storage_changed for item in items}) == 1:
            attribute = first.storage_changed or attribute
        field = f" in `{first.path}`" if first.path and first.path != "value" else ""
        values = f": {', then '.join(first.previews)}" if first.previews else ""
        return self.finding(
            f"reading an item changes `{attribute}`: index {first.index}, read three times, gave different "
            f"values{field}{values}",
            advice="Copy the stored value before changing it in place.",
            where=spec.dataset_ref,
            samples=[item.index for item in items],
            attribute=attribute,
            field=first.path,
            values=list(first.previews),
            changed=len(items),
            reread=len(protocol.rereads),
            share=len(items) / len(protocol.rereads),
        )


def _container(attribute: str) -> str:
    """Return ``dataset.data[...]`` for ``dataset.data[3]``: what is kept one by one is kept in one place."""
    return _PLACE.sub("[...]", attribute)
