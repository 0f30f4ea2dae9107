"""The students' War notebook: the solved notebook without solutions, hidden tests and output.

The markers are those of nbgrader: ``### BEGIN SOLUTION`` and ``### BEGIN HIDDEN TESTS``, each with
an end marker. ``python -m course.handouts.notebook SOLVED UNSOLVED`` writes the unsolved notebook,
and removes everything from the solved notebook that differs between runs.
"""

import json
import re
import sys
from pathlib import Path
from typing import Any, Final

SOLUTION: Final = re.compile(r"[ \t]*### BEGIN SOLUTION\n.*?### END SOLUTION\n?", re.DOTALL)
HIDDEN: Final = re.compile(r"[ \t]*### BEGIN HIDDEN TESTS\n.*?### END HIDDEN TESTS\n?", re.DOTALL)
KEPT: Final = ("nbgrader",)
"""The keys of a cell's metadata that are preserved."""

TO_DO: Final = "    # Your code comes here.\n"


def unsolved(notebook: dict[str, Any]) -> dict[str, Any]:
    """Return a notebook for students, without solutions, hidden tests and output."""
    return notebook | {"cells": [_unsolved_cell(cell) for cell in notebook["cells"]]}


def _unsolved_cell(cell: dict[str, Any]) -> dict[str, Any]:
    if cell["cell_type"] != "code":
        return cell
    source = SOLUTION.sub(TO_DO, HIDDEN.sub("", "".join(cell["source"]))).rstrip("\n")
    return cell | {
        "source": source.splitlines(keepends=True),
        "outputs": [],
        "execution_count": None,
    }


def tidied(notebook: dict[str, Any]) -> dict[str, Any]:
    """Return a notebook without the times of execution and the versions of programs."""
    cells = [
        cell | {"metadata": {key: cell["metadata"][key] for key in cell["metadata"] if key in KEPT}}
        for cell in notebook["cells"]
    ]
    metadata = notebook["metadata"] | {"language_info": {"name": "python"}}
    return notebook | {"cells": cells, "metadata": metadata}


def write(notebook: dict[str, Any], path: Path) -> None:
    """Write a notebook in Jupyter's format."""
    text = json.dumps(notebook, indent=1, ensure_ascii=False, sort_keys=True)
    path.write_text(f"{text}\n", encoding="utf-8")


def main() -> None:
    """Write the students' notebook, generated from the solved notebook."""
    solved, target = map(Path, sys.argv[1:3])
    notebook = tidied(json.loads(solved.read_text(encoding="utf-8")))
    write(notebook, solved)
    write(unsolved(notebook), target)


if __name__ == "__main__":
    main()
