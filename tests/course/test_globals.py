"""Global variables, as detected by the check for S2-18."""

import pytest

from course.grading.checks.tools import globals_used

FOUND = {
    "import cards\nLIMIT = 21\ndef main():\n    return LIMIT": [3],
    "def main():\n    global rounds\n    rounds = 0": [2],
    "from cards import *\nLIMIT = 21\ndef main():\n    return Deck(), LIMIT": [3],
}
FINE = (
    "import cards\ndef deal():\n    return cards.Deck()\ndef main():\n    return deal(), len('x')",
    "from cards import *\ndef main():\n    return Deck()",
    "class Table:\n    pass\ndef main(rounds):\n    return Table(), rounds",
)


@pytest.mark.parametrize("source", FOUND)
def test_global_variables_are_found(source: str) -> None:
    assert [line for line, _ in globals_used(source)][:1] == FOUND[source]


@pytest.mark.parametrize("source", FINE)
def test_modules_functions_and_starred_names_are_no_variables(source: str) -> None:
    assert [*globals_used(source)] == []
