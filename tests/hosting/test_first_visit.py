"""What a first visit weighs."""

from collections import Counter
from pathlib import Path

import pytest

from tests.support.serving import Server
from tools.weight import LIMIT, first_visit


@pytest.mark.xdist_group("hosting")
def test_a_first_visit_is_small(tmp_path: Path) -> None:
    """The lobby and one table with all their files, as they are sent, headers included."""
    with Server(tmp_path) as server:
        files = first_visit(server.port)
    kinds = Counter(Path(address).suffix for address in files)
    assert (kinds[""], kinds[".css"], kinds[".js"]) == (2, 2, 2)  # two pages
    assert kinds[".svg"] >= 10  # the icon, four cards, the tables' pictures
    assert all(body for body, _ in files.values())
    assert sum(body + headers for body, headers in files.values()) <= LIMIT == 60_000
