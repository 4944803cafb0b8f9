"""DL118: the state says where the loader stopped, and nobody starts from there."""

import torch
from torch.utils.data import Dataset
from torchdata.stateful_dataloader import StatefulDataLoader

OPTIONS = {"experiments": ["resume"]}


class Rows(Dataset):
    """Rows that can be told apart."""

    def __init__(self):
        self.rows = torch.arange(160.0).reshape(40, 4)

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, index):
        return self.rows[index]


class Loader(StatefulDataLoader):
    """Remembers how far it came; takes the number up again, or forgets to."""

    takes_up = False

    def load_state_dict(self, state):
        if self.takes_up:
            super().load_state_dict(state)


class Resuming(Loader):
    takes_up = True


def broken():
    return Loader(Rows(), batch_size=4)


def fixed():
    return Resuming(Rows(), batch_size=4)


def healthy_shuffled():
    return StatefulDataLoader(Rows(), batch_size=4, shuffle=True)


class BatchLoader:
    """Yields batches of its own making, and starts at 0 whatever its state says."""

    def __init__(self, dataset):
        self.dataset, self.position = dataset, 0

    def state_dict(self):
        return {"position": self.position}

    def load_state_dict(self, state):
        self.position = state["position"]

    def __iter__(self):
        for start in range(0, len(self.dataset), 4):
            self.position = start + 4
            yield torch.stack([self.dataset[k] for k in range(start, min(start + 4, len(self.dataset)))])


def broken_own_loader():
    return BatchLoader(Rows())
