"""What would run when a file is imported is read before it is."""

from __future__ import annotations

from pathlib import Path

import pytest

from dldoctor.errors import TargetError
from dldoctor.targets.import_safety import refuse_scripts

GUARD = 'put it under `if __name__ == "__main__":`, or allow it with `--allow-script`'

REFUSED = {
    "loss.backward()": "1 starts training (`loss.backward()`)",
    "x = 1\nfor b in loader:\n    model(b).sum().backward()": "3 starts training (`model(b).sum().backward()`)",
    "args = parser.parse_args()": "1 parses arguments (`parser.parse_args()`)",
    "args, _ = parser.parse_known_args()": "1 parses arguments (`parser.parse_known_args()`)",
    "dist.init_process_group('gloo')": "1 initialises a process group (`dist.init_process_group(...)`)",
    "trainer.fit(model, dm)": "1 starts training (`trainer.fit(...)`)",
    "Trainer(model).train()": "1 starts training (`Trainer(model).train()`)",
    "t = SFTTrainer(model)\nt.train()": "2 starts training (`t.train()`)",
    "while True:\n    work()": "1 loops without end",
    "while 1:\n    for x in y:\n        break": "1 loops without end",
    "class A:\n    args = parser.parse_args()": "2 parses arguments (`parser.parse_args()`)",
    "if torch.cuda.is_available():\n    loss.backward()": "2 starts training (`loss.backward()`)",
    'if __name__ != "__main__":\n    loss.backward()': "2 starts training (`loss.backward()`)",
    'if __name__ == "__main__":\n    pass\nelse:\n    loss.backward()': "4 starts training (`loss.backward()`)",
    "def main():\n    x = 1\n    loss.backward()\nmain()": (
        "4 calls `main()`, which in line 3 starts training (`loss.backward()`)"
    ),
    "def get_args():\n    return parser.parse_args()\ndef f(a=get_args()): ...": (
        "3 calls `get_args()`, which in line 2 parses arguments (`parser.parse_args()`)"
    ),
    "@click.command()\ndef main(): ...\nmain()": "3 parses arguments (`main()`)",
    "import fire\nfire.Fire(main)": "2 parses arguments (`fire.Fire(...)`)",
}

ACCEPTED = [
    "model.train()",
    "model.train(mode=True)",
    "scaler.fit(rows)",
    "tokenizer.train(files, trainer)",
    "spm.SentencePieceTrainer.train('--input=x')",
    "args = parser.parse_args([])",
    "args = parser.parse_args(args=[])",
    "def train():\n    loss.backward()",
    "class M:\n    def step(self, loss):\n        loss.backward()",
    "step = lambda loss: loss.backward()",
    "def f():\n    f()\nf()",
    "def batches():\n    while True:\n        yield 1\nloader = batches()",
    'if __name__ == "__main__":\n    args = parser.parse_args()\n    loss.backward()',
    'if "__main__" == __name__:\n    loss.backward()',
    'if __name__ == "__main__" and not DEBUG:\n    loss.backward()',
    "if TYPE_CHECKING:\n    loss.backward()",
    "while True:\n    line = f.readline()\n    if not line:\n        break",
    "while True:\n    try:\n        x = load()\n    except OSError:\n        raise\n",
    "while i < 3:\n    i += 1",
    "import subprocess\nsubprocess.run(['git', 'describe'])",
    "not python at all (",
]


@pytest.mark.parametrize("source", REFUSED, ids=lambda s: s.replace("\n", "; ")[:50])
def test_what_must_not_run_is_refused_with_its_line(tmp_path: Path, monkeypatch, source: str) -> None:
    """Training, arguments, process groups and endless loops are named with the line."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "train.py").write_text(source)
    with pytest.raises(TargetError) as caught:
        refuse_scripts(tmp_path / "train.py")
    assert str(caught.value) == f"train.py:{REFUSED[source]} when it is imported; {GUARD}"


@pytest.mark.parametrize("source", ACCEPTED, ids=lambda s: s.replace("\n", "; ")[:50])
def test_what_is_harmless_passes(tmp_path: Path, source: str) -> None:
    """Guarded code, bodies of functions that nobody calls, and look-alikes are not refused."""
    (tmp_path / "data.py").write_text(source)
    refuse_scripts(tmp_path / "data.py")


def test_an_unreadable_file_is_an_error_of_the_target(tmp_path: Path) -> None:
    """A file that is not there is told in one sentence."""
    with pytest.raises(TargetError, match="cannot be read: No such file or directory"):
        refuse_scripts(tmp_path / "gone.py")
