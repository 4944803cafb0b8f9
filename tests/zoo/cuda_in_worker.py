"""DL512: tensors that are not on the CPU, in a dataset that workers read ("meta" stands for a GPU)."""

import torch
from torch.utils.data import DataLoader, Dataset

OPTIONS = {"experiments": ["randomness", "worker_data", "handles", "copies"]}


class Embedded(Dataset):
    """Rows beside a table as `torch.load` without `map_location` leaves it."""

    def __init__(self, device):
        self.rows = torch.arange(96.0).reshape(24, 4)
        self.table = torch.zeros(8, 4, device=device)

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, index):
        return self.rows[index] * self.table.shape[0]


def broken():
    return DataLoader(Embedded("meta"), batch_size=4, num_workers=2)


def fixed():
    return DataLoader(Embedded("cpu"), batch_size=4, num_workers=2)


def healthy_without_workers():
    return DataLoader(Embedded("meta"), batch_size=4)
