"""docs/img/report.png: the first screen of the demo's report, in light, 1280 wide.

python -m tests.docs.picture path/to/report.html
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

PICTURE = Path(__file__).resolve().parents[2] / "docs" / "img" / "report.png"
SIZE = (1280, 860)


def main(page: Path) -> int:
    browser = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if browser is None:
        print("no browser: apt-get install chromium", file=sys.stderr)
        return 2
    PICTURE.parent.mkdir(parents=True, exist_ok=True)
    subprocess.run(
        [
            browser, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars",
            "--blink-settings=preferredColorScheme=1", "--virtual-time-budget=4000",
            f"--window-size={SIZE[0]},{SIZE[1]}", f"--screenshot={PICTURE}", page.resolve().as_uri(),
        ],
        check=True,
        capture_output=True,
        timeout=120,
    )  # fmt: skip
    print(f"{PICTURE.name}: {PICTURE.stat().st_size:,} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
