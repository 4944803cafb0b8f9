"""Take the pictures of the docs: a report of a sample pipeline, opened in a headless Chromium.

``python tools/screenshots.py`` writes docs/images/*.png; it needs Chromium and the packages of the tests.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
IMAGES = ROOT / "docs" / "images"
TARGET = "sample_datasets/chat/pipeline.py:make_loader_with_pad_as_eos"
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
SHOTS = {
    "report-wide": ("--window-size=1200,1000",),
    "report-dark": ("--window-size=1200,1000", "--blink-settings=preferredColorScheme=0"),
    "report-narrow": ("--window-size=500,1000",),
}
"""Name of a picture to what Chromium is told."""


def main() -> int:
    """Write the report, then the pictures; return the exit status."""
    browser = next((found for name in BROWSERS if (found := shutil.which(name))), None)
    if browser is None:
        print(f"none of {', '.join(BROWSERS)} is installed")
        return 2
    IMAGES.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder) / "report.html"
        command = [
            sys.executable,
            "-m",
            "dldoctor",
            "check-labels",
            TARGET,
            "--role",
            "train",
            "--task",
            "sft",
        ]
        subprocess.run([*command, "--quiet", "--fail-on", "never", "-o", str(page)], cwd=ROOT, check=True)
        for name, how in SHOTS.items():
            shoot(browser, page, IMAGES / f"{name}.png", how, Path(folder) / "profile")
            print(f"written: {(IMAGES / f'{name}.png').relative_to(ROOT)}")
    return 0


def shoot(browser: str, page: Path, image: Path, how: tuple[str, ...], profile: Path) -> None:
    """Write a picture of the top of a page."""
    flags = (
        "--headless=new",
        "--no-sandbox",
        "--disable-gpu",
        "--hide-scrollbars",
        f"--user-data-dir={profile}",
    )
    subprocess.run(
        [browser, *flags, *how, f"--screenshot={image}", page.as_uri()],
        check=True, capture_output=True, timeout=90,
    )  # fmt: skip


if __name__ == "__main__":
    sys.exit(main())
