"""Lists of a large class: fifty rows a page, with the next page and a search, without a script."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Final

import pytest

from cardgames.strategies.rating_steps import PartialRating
from tests.support.classroom import Phone, Room, open_room, site
from tests.support.insight import insight_store
from tests.support.tournaments import kept, make
from web.classroom.class_store import ClassStore
from web.classroom.insight import TablePlay
from web.classroom.insight_store import StoredPlay
from web.classroom.tournaments import Entry, Play

STUDENTS: Final = 52


def standings(room: Room, store: ClassStore) -> str:
    make(room, deals=1, ranking="result")
    tournament = kept(room)
    for who in range(1, STUDENTS + 1):
        entry = Entry((Play("stay", "tie"),), 1.0)
        assert store.tournaments.save_entry(room.code, tournament, who, entry, 0)
    return "/tournament/1"


def insight(room: Room, _: ClassStore) -> str:
    for who in range(1, STUDENTS + 1):
        play = {"blackjack": TablePlay(1, 0, 1, 0.01 * who, 0.0001 * who * who)}
        assert insight_store(room).save_play(room.code, StoredPlay(who, 0, play))
    return "/insight"


def strategies(room: Room, store: ClassStore) -> str:
    for who in range(1, STUDENTS + 1):
        assert store.charts.add(room.code, who, "blackjack", "hard 16   HSSSSSHHHH\n")
    while waiting := store.charts.waiting():
        store.charts.settle(*waiting, PartialRating((-0.1,)))
    return "/strategies"


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Room:
    folder: Path = tmp_path_factory.mktemp("large")
    room = open_room(site(folder), nicknames="free")
    for number in range(1, STUDENTS + 1):
        phone = room.visitor()
        phone.join(name=f"Otter{number:03}x", offer="")
        room.phones.append(phone)
    return room


@pytest.mark.parametrize("fill", [standings, insight, strategies])
def test_fifty_rows_are_a_page(large: Room, fill: Callable[[Room, ClassStore], str]) -> None:
    path = fill(large, large.app.extensions["class-store"])
    names = [phone.name for phone in large.phones]
    first = large.boss.get(path).text
    assert len(rows(first)) == 50
    (following,) = re.findall(r'rel="next" href="[^"?]*(\?(?:[^"]*&amp;|[^"]*&)?page=2)"', first)
    second = large.boss.get(path + following.replace("&amp;", "&")).text
    assert len(rows(second)) == 2
    assert sorted(rows(first) + rows(second)) == names
    assert 'rel="next" href' not in second.partition("chart-list")[0]
    for number in ("3", "99", "-1", "x"):
        shown = rows(large.boss.get(f"{path}?page={number}").text)
        assert shown in (rows(first), rows(second))
    assert 'role="search"' in first
    assert rows(large.boss.get(f"{path}?search=oTTer017").text) == [names[16]]
    none = large.boss.get(f"{path}?search={'nobody' * 30}")
    assert (none.status_code, rows(none.text)) == (200, [])
    assert names[51] in str(large.boss.json(path))


def rows(page: str) -> list[str]:
    """Return the nicknames of the rows of a page's table."""
    return re.findall(r'<th scope="row">(?:<a [^>]*>)?\s*(\w+)', page)


def test_a_student_is_shown_no_page_of_others(large: Room) -> None:
    phone: Phone = large.phones[-1]
    for path in ("/tournament/1", "/strategies"):
        for query in ("", "?page=2", "?search=Otter"):
            page = phone.get(path + query).text
            assert len(set(re.findall(r"Otter\d{3}x", page))) <= 6
