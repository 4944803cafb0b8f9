"""DL601: a stream that does not ask which worker it is in, so that every worker reads everything."""

import itertools

import torch
from torch.utils.data import DataLoader, IterableDataset, get_worker_info


class Utterances(IterableDataset):
    """Transcripts in the order of their file, with noise added to the features."""

    def __init__(self, split, repeat=1, count=24):
        self.split = split
        self.repeat = repeat
        self.count = count

    def __iter__(self):
        info = get_worker_info()
        first, step = (info.id, info.num_workers) if info and self.split else (0, 1)
        rows = itertools.chain.from_iterable(range(self.count) for _ in range(self.repeat))
        for k in itertools.islice(rows, first, None, step):
            yield {"utt_id": f"spk{k % 5}_utt{k:03}", "features": torch.randn(6) + k}


class Resampled(IterableDataset):
    """Draws shards with replacement, in every worker from all of them."""

    def __iter__(self):
        for _ in range(40):
            k = int(torch.randint(12, ()))
            yield {"__key__": f"{k:05}", "x": torch.tensor([float(k), 2.0])}


class Captions(IterableDataset):
    """Nothing names a text; two of them are equal."""

    def __iter__(self):
        info = get_worker_info()
        first, step = (info.id, info.num_workers) if info else (0, 1)
        texts = [f"a photo of {k} birds" for k in range(20)] + ["untitled", "untitled", "a red kite", "snow"]
        yield from texts[first::step]


def broken():
    return DataLoader(Utterances(split=False), batch_size=4, num_workers=3)


def fixed():
    return DataLoader(Utterances(split=True), batch_size=4, num_workers=3)


def healthy_repeated():
    return DataLoader(Utterances(split=True, repeat=2, count=25), batch_size=5, num_workers=2)


def healthy_resampled():
    return DataLoader(Resampled(), batch_size=4, num_workers=2)


def healthy_equal_texts():
    return DataLoader(Captions(), batch_size=4, num_workers=2)


def healthy_idle_workers():
    return DataLoader(Utterances(split=True, count=2), batch_size=1, num_workers=4)
