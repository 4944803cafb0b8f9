"""Texts that a stream carries over from one sample to the next, told by what its tar archives hold."""

from __future__ import annotations

import json
import tarfile
import time
from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import Any

from dldoctor.evidence.file_pairs import CarriedText
from dldoctor.finding import SampleId
from dldoctor.probes.alignment.items import Item
from dldoctor.probes.archives import split_name
from dldoctor.probes.digest import digest
from dldoctor.probes.look import as_tensor

ENDINGS = (".tar", ".tar.gz", ".tgz")
TEXTS = ("txt", "text", "caption", "cap", "json")
ARCHIVES, KEYS = 8, 4000
SECONDS = 3.0
LARGEST_BYTES = 64 * 1024
USUAL = 0.5
"""Share of the keys that must have a text, for one without to lack it."""
FEWEST = 2
"""Samples at the places of keys without text, whose tokens tell where the text itself is not seen."""
FEWEST_TOKENS = 4
EXAMPLES = 5


class CarriedTexts:
    """Feed it the samples of a stream in order; it remembers the texts of each, and which one it followed."""

    def __init__(self) -> None:
        """Start with nothing."""
        self._archives: dict[str, None] = {}
        self._samples = 0
        self._last: tuple[str | None, dict[str, str]] | None = None
        self._repeated: dict[str, list[tuple[SampleId, str]]] = defaultdict(list)
        self._tokens: dict[str, str | None] = {}
        self._ids: list[SampleId] = []
        self._again: dict[str, list[int]] = defaultdict(list)
        """Field of whole numbers to the places of the samples that have those of the sample before."""

    def add(self, item: Item, held: Mapping[str, Any]) -> None:
        """Note where a text is that of the sample before, and something else is not."""
        self._archives |= dict.fromkeys(path for path in item.files if path.lower().endswith(ENDINGS))
        if not self._archives:
            return
        self._samples += 1
        texts = {path: text for path, leaf in held.items() if (text := _text(leaf))}
        rest = digest(
            [digest(leaf) for path, leaf in held.items() if path not in texts and not isinstance(leaf, str)]
        )
        if self._last is not None and self._last[0] != rest:
            for path, text in texts.items():
                if self._last[1].get(path) == text:
                    self._repeated[path].append((item.id, text))
        self._last = (rest, texts)
        self._add_tokens(item, held)

    def _add_tokens(self, item: Item, held: Mapping[str, Any]) -> None:
        """Note where the tokens of a text are those of the sample before."""
        tokens = {path: digest(leaf) for path, leaf in held.items() if _is_tokens(leaf)}
        for path, now in tokens.items():
            if now is not None and self._tokens.get(path) == now:
                self._again[path].append(len(self._ids))
        self._tokens = tokens
        self._ids.append(item.id)

    def result(self) -> CarriedText | None:
        """Return what was carried over: a text that the archives hold once, before a key that has none."""
        if not self._repeated:
            return self._of_tokens()
        once = _before_keys_without(list(self._archives)[:ARCHIVES])
        for path, found in self._repeated.items():
            carried = [(sample, *once[text]) for sample, text in found if text in once]
            if carried:
                return CarriedText(path, self._samples, len(carried), tuple(carried[:EXAMPLES]))
        return None

    def _of_tokens(self) -> CarriedText | None:
        """Return tokens that were carried over: at just the places where keys, in their order, have no text."""
        if not any(len(places) >= FEWEST for places in self._again.values()):
            return None
        keys = list(_keys(list(self._archives)[:ARCHIVES]))[: len(self._ids)]
        lacking = [at for at, (_, texts) in enumerate(keys) if at and not texts and keys[at - 1][1]]
        for path, places in self._again.items():
            if places == lacking and len(places) >= FEWEST:
                found = [(self._ids[at], keys[at - 1][0], keys[at][0]) for at in places[:EXAMPLES]]
                return CarriedText(path, self._samples, len(places), tuple(found))
        return None


def _is_tokens(leaf: Any) -> bool:
    """Whether a leaf is a row of whole numbers of which some differ, as the tokens of a text."""
    table = as_tensor(leaf)
    if table is None or table.is_floating_point() or table.ndim != 1 or len(table) < FEWEST_TOKENS:
        return False
    return int(table.max()) > 1 and bool((table != table[0]).any())


def _text(leaf: Any) -> str:
    if isinstance(leaf, bytes):
        leaf = leaf[:LARGEST_BYTES].decode(errors="replace")
    return leaf.strip() if isinstance(leaf, str) else ""


def _before_keys_without(archives: list[str]) -> dict[str, tuple[str, str]]:
    """Return each text that only one key has, where the key after it has none, with both keys."""
    keys = list(_keys(archives))
    if sum(bool(texts) for _, texts in keys) <= USUAL * len(keys):
        return {}
    owners: dict[str, set[str]] = defaultdict(set)
    for key, texts in keys:
        for text in texts:
            owners[text].add(key)
    found = {}
    for at, (key, texts) in enumerate(keys):
        after = keys[at + 1] if at + 1 < len(keys) else None
        if after is not None and not after[1]:
            found.update({text: (key, after[0]) for text in texts if len(owners[text]) == 1})
    return found


def _keys(archives: list[str]) -> Iterator[tuple[str, set[str]]]:
    """Yield the keys in order, each with the texts of its members."""
    deadline, read = time.monotonic() + SECONDS, 0
    for path in archives:
        last: tuple[str, set[str]] | None = None
        try:
            with tarfile.open(path) as archive:
                for member in archive:
                    if not member.isreg():
                        continue
                    key, field = split_name(member.name)
                    if last is None or last[0] != key:
                        if last is not None:
                            yield last
                        if read >= KEYS or time.monotonic() > deadline:
                            return
                        last, read = (key, set()), read + 1
                    if field.rpartition(".")[2] in TEXTS and member.size <= LARGEST_BYTES:
                        last[1].update(_texts_of(archive.extractfile(member), field))
        except (OSError, EOFError, tarfile.TarError):
            pass
        if last is not None:
            yield last


def _texts_of(file: Any, field: str) -> set[str]:
    raw = file.read() if file is not None else b""
    text = raw.decode(errors="replace").strip()
    if not field.endswith("json"):
        return {text} - {""}
    try:
        table = json.loads(text)
    except ValueError:
        return set()
    values = table.values() if isinstance(table, dict) else [table]
    return {value.strip() for value in values if isinstance(value, str)} - {""}
