"""Iterates over its loader as soon as it is imported."""

from torch.utils.data import DataLoader

from tests.zoo.scripts.guarded import Rows

total = 0.0
for batch in DataLoader(Rows(), batch_size=8, num_workers=1):
    total += float(batch.sum())
