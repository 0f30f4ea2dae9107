"""Plants faults into the site and the kit, one at a time, and checks that a test finds each fault.

``make mutants-web`` runs this module. ``tests/planted-faults.toml`` lists the faults: a file, a
string that occurs in it once, the string that replaces it, and the test that must fail. If no test
finds a fault, or if a test fails without a fault, the exit code is 1.
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from queue import SimpleQueue
from time import monotonic
from typing import Final

ROOT: Final = Path(__file__).parents[1]
FAULTS: Final = ROOT / "tests" / "planted-faults.toml"
COPIES: Final = 2
TEST_SECONDS: Final = 60


@dataclass(frozen=True)
class Fault:
    """One edit of a file, and the test that must fail because of it."""

    file: str
    old: str
    new: str
    test: str

    def __str__(self) -> str:
        """Return the edit as one line."""
        old, new = (" ".join(text.split()) for text in (self.old, self.new))
        return f"{self.file}: {old!r} -> {new!r}"


class Copy:
    """A copy of the tracked files, in which one fault at a time is planted."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        names = subprocess.check_output(["git", "ls-files", "-z"], cwd=ROOT, text=True)
        for name in filter(None, names.split("\0")):
            if (ROOT / name).exists():
                (folder / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(ROOT / name, folder / name)

    @contextmanager
    def planted(self, fault: Fault) -> Iterator[None]:
        """Plant a fault for the duration of the block."""
        path = self.folder / fault.file
        source = path.read_text(encoding="utf-8")
        if source.count(fault.old) != 1:
            raise SystemExit(f"{fault.file} contains {fault.old!r} {source.count(fault.old)} times")
        path.write_text(source.replace(fault.old, fault.new), encoding="utf-8")
        try:
            yield
        finally:
            path.write_text(source, encoding="utf-8")

    def run(self, tests: Sequence[str]) -> subprocess.CompletedProcess[str]:
        """Run tests, and stop at the first failure."""
        options = ("-q", "-x", "-p", "no:cacheprovider", "--timeout", str(TEST_SECONDS))
        return subprocess.run(
            [sys.executable, "-m", "pytest", *options, *tests],
            cwd=self.folder,
            env={**os.environ, "PYTHONPATH": str(self.folder), "PYTHONDONTWRITEBYTECODE": "1"},
            capture_output=True,
            text=True,
            check=False,
        )


def main() -> int:
    """Plant every fault.

    Return 1 if a test fails without a fault, or if no test finds a fault.
    """
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("text", nargs="?", default="", help="plant only faults with this text")
    chosen = parser.parse_args().text
    table = tomllib.loads(FAULTS.read_text(encoding="utf-8"))
    faults = [fault for row in table["fault"] if chosen in str(fault := Fault(**row))]
    if not faults:
        parser.error(f"No planted fault contains {chosen!r}.")
    began = monotonic()
    with tempfile.TemporaryDirectory() as folder:
        copies = SimpleQueue[Copy]()
        for number in range(COPIES):
            copies.put(Copy(Path(folder) / str(number)))
        sound = (first := copies.get()).run(sorted({fault.test for fault in faults}))
        copies.put(first)
        if sound.returncode:
            print(sound.stdout[-4000:])
            print("A test fails without a fault.")
            return 1

        def is_found(fault: Fault) -> bool:
            copy = copies.get()
            try:
                with copy.planted(fault):
                    found = copy.run([fault.test]).returncode == 1
            finally:
                copies.put(copy)
            print(f"{'found' if found else 'NOT FOUND'}  {fault}", flush=True)
            return found

        with ThreadPoolExecutor(COPIES) as pool:
            found = sum(pool.map(is_found, faults))
    print(f"{found} of {len(faults)} planted faults found in {monotonic() - began:.0f} s")
    return 0 if found == len(faults) else 1


if __name__ == "__main__":
    sys.exit(main())
