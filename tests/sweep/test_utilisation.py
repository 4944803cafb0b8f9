"""The real pynvml on a stub of NVIDIA's library, compiled here: no GPU is needed."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from dldoctor.sweep.utilisation import device_place

STUB = r"""
#include <stdlib.h>
#include <string.h>
typedef struct { unsigned int gpu, memory; } rates;
static int reads = 0;
static int gpus(void) { const char *n = getenv("STUB_GPUS"); return n ? atoi(n) : 1; }
static int is(const char *name) { const char *v = getenv("STUB_MODE"); return v && !strcmp(v, name); }
int nvmlInit_v2(void) { return is("no-driver") ? 9 : 0; }
int nvmlInitWithFlags(unsigned int flags) { return nvmlInit_v2(); }
int nvmlShutdown(void) { return 0; }
const char *nvmlErrorString(int code) { return code == 15 ? "GPU is lost" : code == 4 ? "Insufficient Permissions" : "error"; }
int nvmlDeviceGetCount_v2(unsigned int *n) { *n = gpus(); return 0; }
int nvmlDeviceGetHandleByIndex_v2(unsigned int i, void **h) {
  if (i >= (unsigned)gpus()) return 2;
  *h = (void *)(long)(i + 1); return 0;
}
int nvmlDeviceGetHandleByUUID(const char *u, void **h) {
  if (strcmp(u, "GPU-second")) return 6;
  *h = (void *)2L; return 0;
}
int nvmlDeviceGetUtilizationRates(void *h, rates *r) {
  reads++;
  if (is("no-permission")) return 4;
  if (is("lost") && reads > 2) return 15;
  if (is("hiccup") && reads == 2) return 999;
  r->gpu = 40 * (unsigned)(long)h; r->memory = 7; return 0;
}
"""

SCRIPT = """
import ctypes, json, sys
stub = ctypes.CDLL(sys.argv[1])
import pynvml
pynvml.nvmlLib = None
ctypes_cdll = ctypes.CDLL
pynvml.CDLL = lambda name, *rest: stub if "nvidia-ml" in str(name) else ctypes_cdll(name, *rest)
from dldoctor.sweep.utilisation import Utilisation, device_place
place = device_place(sys.argv[2])
reader = Utilisation(pynvml, place)
print(json.dumps([[reader.read() for _ in range(6)], reader.reason]))
"""


@pytest.fixture(scope="module")
def stub(c_compiler: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("nvml")
    (folder / "stub.c").write_text(STUB)
    library = folder / "libnvidia-ml.so.1"
    subprocess.run([c_compiler, "-shared", "-fPIC", "-o", str(library), str(folder / "stub.c")], check=True)
    return library


def read(
    stub: Path, root: Path, device: str = "cuda:0", **environment: str
) -> tuple[list[float | None], str]:
    """Return six readings in a process of their own, and the reason of the last failure."""
    found = subprocess.run(
        [sys.executable, "-c", SCRIPT, str(stub), device],
        env={**os.environ, "PYTHONPATH": str(root), "CUDA_VISIBLE_DEVICES": "", **environment},
        capture_output=True,
        text=True,
        check=True,
    )
    values, reason = json.loads(found.stdout)
    return values, reason


def test_utilisation_is_a_share(stub: Path, root: Path) -> None:
    assert read(stub, root) == ([0.4] * 6, "")


def test_the_device_of_the_step_is_read_and_no_other(stub: Path, root: Path) -> None:
    """CUDA counts the devices that it is shown; NVML counts all."""
    assert read(stub, root, "cuda:1", STUB_GPUS="2") == ([0.8] * 6, "")
    assert read(stub, root, "cuda:0", STUB_GPUS="2", CUDA_VISIBLE_DEVICES="1")[0] == [0.8] * 6
    assert read(stub, root, "cuda:0", STUB_GPUS="2", CUDA_VISIBLE_DEVICES="GPU-second")[0] == [0.8] * 6


def test_a_gpu_that_disappears_gives_no_more_readings(stub: Path, root: Path) -> None:
    assert read(stub, root, STUB_MODE="lost") == ([0.4, 0.4, None, None, None, None], "GPU is lost")


def test_one_lost_reading_is_no_lost_gpu(stub: Path, root: Path) -> None:
    assert read(stub, root, STUB_MODE="hiccup")[0] == [0.4, None, 0.4, 0.4, 0.4, 0.4]


def test_without_permission_nothing_is_read_and_it_says_why(stub: Path, root: Path) -> None:
    assert read(stub, root, STUB_MODE="no-permission") == ([None] * 6, "Insufficient Permissions")


def test_without_a_driver_or_a_device_nothing_is_read(stub: Path, root: Path) -> None:
    assert read(stub, root, STUB_MODE="no-driver")[0] == [None] * 6
    assert read(stub, root, "cuda:3")[0] == [None] * 6


def test_where_nvml_finds_a_device_of_cuda() -> None:
    assert device_place("cuda:1", "") == 1
    assert device_place("cuda", "3,5") == 3
    assert device_place("cuda:0", "GPU-abc") == "GPU-abc"
