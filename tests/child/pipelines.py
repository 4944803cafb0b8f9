"""Loaders that end badly, each in its own way; run as file targets by the tests beside them."""

import ctypes
import os
import signal
import sys
import threading
import time

import torch
from torch.utils.data import DataLoader, Dataset, IterableDataset

LOCK = threading.Lock()


class Bad(Dataset):
    """Twenty items, of which number 9 does `what`."""

    def __init__(self, what):
        self.what = what

    def __len__(self):
        return 20

    def __getitem__(self, index):
        if index == 9:
            self.what()
        return torch.tensor([index, index + 1.5])


def raise_error():
    raise ValueError("no such clip")


def leave():
    os._exit(3)


def leave_quietly():
    os._exit(0)


def crash():
    ctypes.string_at(0)


def kill():
    os.kill(os.getpid(), signal.SIGKILL)


def exit_script():
    sys.exit(4)


def wait_for_lock():
    with LOCK:
        time.sleep(0)


def spin():
    while True:
        pass


def start_a_process():
    if os.fork() == 0:
        os.setsid()
        time.sleep(600)


ACTIONS = {
    "raise": raise_error,
    "exit": leave,
    "exit_zero": leave_quietly,
    "crash": crash,
    "kill": kill,
    "sys_exit": exit_script,
    "lock": wait_for_lock,
    "spin": spin,
    "orphan": start_a_process,
}


def make(what="raise", workers=0, start=None):
    if what == "lock":
        LOCK.acquire()
    return DataLoader(
        Bad(ACTIONS[what]),
        batch_size=2,
        num_workers=workers,
        multiprocessing_context=start if workers else None,
    )


class Slow(IterableDataset):
    """An endless stream, ten items a second."""

    def __iter__(self):
        while True:
            time.sleep(0.05)
            yield torch.ones(3) * time.time()


def endless():
    return DataLoader(Slow(), batch_size=2)


def noisy():
    print("hello from the user's code")
    sys.stderr.write("and an error line\n")
    return DataLoader(Bad(lambda: print("item nine")), batch_size=2)
