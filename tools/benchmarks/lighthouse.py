"""What Lighthouse says of lobby, table, replay and lab: ``python -m tools.benchmarks.lighthouse``.

Lighthouse comes from npm, with ``npx`` or from where ``LIGHTHOUSE`` points. It is neither a part
of the project nor of its tests: what it finds in the pages themselves, axe finds there too.
"""

import json
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Final

from tests.support.serving import Player, Server

KINDS: Final = ("performance", "accessibility", "best-practices", "seo")
LEAST: Final = 95
"""What each is to reach, of 100."""

TRIES: Final = 3
"""Its browser does not start each time."""

FLAGS: Final = "--headless=new --no-sandbox --disable-gpu"


def scores(address: str, cookie: str, form: str) -> dict[str, int]:
    """Return what Lighthouse gives a page, in hundredths; ``form`` is mobile or desktop."""
    command = [
        *shlex.split(os.environ.get("LIGHTHOUSE", "npx --yes lighthouse")),
        *(address, "--quiet", "--output=json", f"--chrome-flags={FLAGS}"),
        f"--only-categories={','.join(KINDS)}",
        f"--extra-headers={json.dumps({'Cookie': cookie} if cookie else {})}",
        *(("--preset=desktop",) if form == "desktop" else ()),
    ]
    chromium = os.environ.get("CHROME_PATH") or shutil.which("chromium") or ""
    environment = {**os.environ, "CHROME_PATH": chromium}
    for _ in range(TRIES):
        run = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
        if run.returncode == 0:
            break
    else:
        raise SystemExit(f"{address}: {run.stderr}")
    found = json.loads(run.stdout)["categories"]
    return {kind: round(found[kind]["score"] * 100) for kind in KINDS}


def replay_of(player: Player) -> str:
    """Return the address of a round of Blackjack that a player finishes, where it was decided."""
    for step, move in enumerate(("deal", "stay")):
        player.request("POST", "/blackjack", {"move": move, "step": str(step)})
    answer, _ = player.request("GET", "/blackjack/history/1")
    return f"{answer.headers['Location']}?step=1"


def main() -> int:
    """Look at the pages, print, and say with the exit code whether all is well."""
    least = 100
    with tempfile.TemporaryDirectory() as data, Server(Path(data)) as server:
        site = f"http://127.0.0.1:{server.port}"
        player = Player(server.port)
        player.request("POST", "/simple-21", {"move": "deal", "step": "0"})
        pages = {"lobby": "/", "table": "/simple-21", "replay": replay_of(player), "lab": "/lab"}
        for name, path in pages.items():
            cookie = "" if name == "lobby" else player.cookie
            for form in ("mobile", "desktop"):
                found = scores(site + path, cookie, form)
                least = min(least, *found.values())
                told = ", ".join(f"{kind} {score}" for kind, score in found.items())
                print(f"{name:<6} {form:<8} {told}")
    return 0 if least >= LEAST else 1


if __name__ == "__main__":
    sys.exit(main())
