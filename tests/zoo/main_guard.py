"""DL511: a script that reads its loader at import, without a guard."""

from torch.utils.data import DataLoader

OPTIONS = {"experiments": ["reproduction", "handles"]}


def broken():
    import tests.zoo.scripts.unguarded as script

    return DataLoader(script.Rows(), batch_size=4, num_workers=2)


def fixed():
    import tests.zoo.scripts.guarded as script

    return DataLoader(script.Rows(), batch_size=4, num_workers=2)
