"""Something is kept for each sample that is read: for a log, for statistics, in a cache without a bound."""

from __future__ import annotations

import functools
import queue
import random
import threading
from collections.abc import Iterator
from typing import Any

import torch
from torch.utils.data import DataLoader, Dataset, IterableDataset

LIMITS = {"time_budget_s": 30.0}
LENGTH = 256
KEPT = 60_000

HISTORY: list[bytes] = []


def decoded(index: int) -> torch.Tensor:
    """A picture that its index decides."""
    return torch.rand(3, 16, 16, generator=torch.Generator().manual_seed(index))


class Pictures(Dataset[dict[str, Any]]):
    """256 pictures; the raw bytes of each are kept in a list, as many as `most`."""

    def __init__(self, most: int | None) -> None:
        self.most = most

    def __len__(self) -> int:
        return LENGTH

    def __getitem__(self, index: int) -> dict[str, Any]:
        if not 0 <= index < LENGTH:
            raise IndexError(index)
        HISTORY.append(bytes(KEPT))
        if self.most is not None:
            del HISTORY[: -self.most]
        return {"image": decoded(index), "label": index % 4}


class Crops(Dataset[dict[str, Any]]):
    """Each reading makes a key of its own, so that a cache never meets it again."""

    def __init__(self, bound: int | None) -> None:
        self.readings = 0
        self.cached = functools.lru_cache(maxsize=bound)(self._crop)

    def __len__(self) -> int:
        return LENGTH

    def __getitem__(self, index: int) -> dict[str, Any]:
        if not 0 <= index < LENGTH:
            raise IndexError(index)
        self.readings += 1
        self.cached(index, self.readings)
        return {"image": decoded(index), "label": index % 4}

    @staticmethod
    def _crop(_index: int, _offset: int) -> bytes:
        return bytes(KEPT)


class Cached(Dataset[dict[str, Any]]):
    """Each picture is kept once it was decoded."""

    def __init__(self) -> None:
        self.cache: dict[int, bytes] = {}

    def __len__(self) -> int:
        return LENGTH

    def __getitem__(self, index: int) -> dict[str, Any]:
        if not 0 <= index < LENGTH:
            raise IndexError(index)
        if index not in self.cache:
            self.cache[index] = bytes(KEPT)
        return {"image": decoded(index), "label": index % 4}


class Texts(Dataset[dict[str, Any]]):
    """A tokenizer that remembers words, of which there are so many, or whole texts, each of which is new."""

    def __init__(self, by_word: bool) -> None:
        self.by_word = by_word
        self.readings = 0
        self.cache: dict[str, list[int]] = {}

    def __len__(self) -> int:
        return LENGTH

    def __getitem__(self, index: int) -> dict[str, Any]:
        if not 0 <= index < LENGTH:
            raise IndexError(index)
        self.readings += 1
        words = [f"word{(index * 7 + place) % 900}" for place in range(256)]
        if self.by_word:
            ids = [self.cache.setdefault(word, [1000 + len(self.cache)] * 64)[0] for word in words]
        else:
            text = " ".join(words) + f" {self.readings}"
            ids = self.cache.setdefault(text, [1000 + int(word[4:]) for word in words])
        return {"input_ids": torch.tensor(ids), "label": index % 4}


class Ahead(IterableDataset[dict[str, Any]]):
    """256 pictures, decoded by a thread that runs at most 32 ahead, and shuffled in a buffer of 64."""

    def __iter__(self) -> Iterator[dict[str, Any]]:
        decoded_ones: queue.Queue[torch.Tensor | None] = queue.Queue(32)
        thread = threading.Thread(target=self._decode, args=(decoded_ones,), daemon=True)
        thread.start()
        buffer: list[torch.Tensor] = []
        order = random.Random(0)
        while (picture := decoded_ones.get()) is not None:
            buffer.append(picture)
            if len(buffer) > 64:
                yield {"image": buffer.pop(order.randrange(64)), "label": order.randrange(4)}
        yield from ({"image": picture, "label": order.randrange(4)} for picture in buffer)
        thread.join()

    def _decode(self, decoded_ones: queue.Queue[torch.Tensor | None]) -> None:
        for index in range(LENGTH):
            decoded_ones.put(decoded(index))
        decoded_ones.put(None)


def broken_tokenizer_cache() -> DataLoader[Any]:
    """Every text is new to the cache."""
    return DataLoader(Texts(by_word=False), batch_size=8, num_workers=1, persistent_workers=True)


def healthy_tokenizer_cache() -> DataLoader[Any]:
    """It knows all words after a while."""
    return DataLoader(Texts(by_word=True), batch_size=8, num_workers=1, persistent_workers=True)


def healthy_decoder_ahead_and_shuffle_buffer() -> DataLoader[Any]:
    """Both fill up, and no further."""
    return DataLoader(Ahead(), batch_size=8, num_workers=1)


def broken() -> DataLoader[Any]:
    """Workers that live on keep the bytes of every reading."""
    return DataLoader(Pictures(None), batch_size=8, num_workers=2, persistent_workers=True)


def fixed() -> DataLoader[Any]:
    """The last twenty are kept."""
    return DataLoader(Pictures(20), batch_size=8, num_workers=2, persistent_workers=True)


def broken_without_workers() -> DataLoader[Any]:
    """The main process keeps them."""
    return DataLoader(Pictures(None), batch_size=8)


def broken_until_the_epoch_ends() -> DataLoader[Any]:
    """Workers that end with the epoch: a saw-tooth, which is a warning."""
    return DataLoader(Pictures(None), batch_size=8, num_workers=2)


def broken_cache_without_a_bound() -> DataLoader[Any]:
    """No key comes back."""
    return DataLoader(Crops(None), batch_size=8)


def healthy_cache_with_a_bound() -> DataLoader[Any]:
    """The oldest entries go."""
    return DataLoader(Crops(64), batch_size=8)


def healthy_cache_of_all_samples() -> DataLoader[Any]:
    """Growth that ends: once every sample was read, nothing is added."""
    return DataLoader(Cached(), batch_size=8, num_workers=2, persistent_workers=True)


def healthy_cache_in_workers_that_end() -> DataLoader[Any]:
    """Each epoch fills it again, and no further."""
    return DataLoader(Cached(), batch_size=8, num_workers=2)
