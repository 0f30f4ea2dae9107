"""A class of thirty phones that plays, is quiet for long, and plays again.

``QUIET_SECONDS=900`` makes the quiet time a quarter of an hour: ten minutes and more of it without
a request. By default it is as short as it can be.
"""

import os
import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final

import pytest
from playwright.sync_api import Browser, Error, Page, Response, expect

from tests.support.browser import HIDE, press
from tests.support.served_class import ServedClass
from tests.support.serving import Server

SECONDS: Final = float(os.environ.get("QUIET_SECONDS", "60"))
"""Length of the quiet time."""

PHONES: Final = 30
IN_A_POCKET: Final = 17
"""Number of phones that sleep from the beginning of the quiet time; ten lie awake for a quarter."""

CLOSED: Final = 3

GONE_AFTER: Final = 50.0
"""Seconds after which a sleeping phone's student is certainly not here any more."""

NOT_DEALT_IN_AFTER: Final = 150.0
"""Seconds after which who is gone is certainly not dealt in any more."""

TABLES: Final = {"simple-21": "Stay", "blackjack": "Stand", "one-deck": "Stand", "war": "10 turns"}


class Phones:
    """The pages of a class, by the numbers of their students, and what went wrong on them."""

    def __init__(self, browser: Browser, room: ServedClass) -> None:
        self.room = room
        self.faults: list[str] = []
        contexts = (room.context(browser) for _ in range(PHONES))
        self.pages = {number: one.new_page() for number, one in enumerate(contexts, start=1)}
        for number, page in self.pages.items():
            self._listen(number, page)

    def _listen(self, number: int, page: Page) -> None:
        def look(answer: Response) -> None:
            if answer.status >= 400:
                self.faults.append(
                    f"{number}: {answer.status} {answer.request.method} {answer.url}"
                )

        page.on("response", look)
        page.on("pageerror", lambda error: self.faults.append(f"{number}: {error}"))

    def look_for_errors(self, when: str) -> None:
        """Note which pages show an error."""
        for number, page in self.pages.items():
            shown = page.locator("[role=alert], .felt.lost, #status:not(.unseen)")
            if shown.count():
                self.faults.append(f"{when}, {number} is shown: {shown.first.inner_text()}")

    def expect_here(self, numbers: Iterable[int], when: str) -> None:
        """Note it where not exactly these students are here."""
        here = {one["number"] for one in self.room.desk()["students"] if one["here"]}
        expected = set(numbers)
        if here != expected:
            missing, wrong = sorted(expected - here), sorted(here - expected)
            self.faults.append(f"{when}: {missing} are missing, {wrong} are not here any more")

    def hide(self, numbers: Iterable[int], *, hidden: bool = True) -> None:
        for number in numbers:
            self.pages[number].evaluate(HIDE, hidden)

    def close(self, numbers: Iterable[int]) -> None:
        for number in numbers:
            self.pages.pop(number).context.close()

    def wait(self, seconds: float) -> None:
        """Let time pass, and hear of every answer that comes meanwhile."""
        self.pages[1].wait_for_timeout(seconds * 1000)

    def join(self) -> None:
        for page in self.pages.values():
            page.goto(self.room.base)
            page.get_by_role("button", name="Join", exact=True).click()
            page.wait_for_selector("main[data-updates]")

    def play_round_by_the_clock(self) -> None:
        """Play a round of Bingo that the clock calls, each phone on its card."""
        self.room.move("deal", mode="L", speed="Y", by_hand="N", every="3")
        for page in self.pages.values():
            with suppress(Error):  # a page of the class may be on its way there by itself
                page.goto(f"{self.room.base}/bingo")
            page.wait_for_url("**/bingo")
        for page in self.pages.values():
            expect(page.locator(".won-head, .others-won")).to_be_visible(timeout=180_000)

    def play_at_tables(self) -> None:
        """Let each play a round at a table, and come back to the class."""
        tables = list(TABLES.items())
        for number, page in self.pages.items():
            slug, move = tables[number % len(tables)]
            page.goto(f"/{slug}")
            for button in ("Deal", move):
                if page.get_by_role("button", name=button).count():
                    press(page, button)
        self.look_for_errors("at the tables")
        for page in self.pages.values():
            page.goto(self.room.base)


@pytest.fixture
def phones(browser: Browser, tmp_path: Path) -> Iterator[Phones]:
    with Server(tmp_path, CLASSES="open") as server:
        room = ServedClass(server)
        playing = Phones(browser, room)
        yield playing
        playing.close(list(playing.pages))
        room.close()


@pytest.mark.slow
def test_a_class_of_thirty_through_a_quiet_time(phones: Phones) -> None:
    """No answer is an error, nobody is shown one, and who is here is known at every time."""
    asleep = range(1, IN_A_POCKET + 1)
    awake = range(IN_A_POCKET + 1, PHONES - CLOSED + 1)
    closed = range(PHONES - CLOSED + 1, PHONES + 1)

    phones.join()
    phones.expect_here(range(1, PHONES + 1), "when all have joined")
    phones.play_round_by_the_clock()
    phones.look_for_errors("after a round")
    phones.room.move("end")
    phones.play_at_tables()

    phones.hide(asleep)
    phones.close(closed)
    first = max(GONE_AFTER, SECONDS / 4)
    phones.wait(first)
    phones.expect_here(awake, "while ten lie awake")
    phones.look_for_errors("while ten lie awake")
    phones.hide(awake)
    phones.wait(SECONDS - first)

    phones.hide((*asleep, *awake), hidden=False)
    phones.wait(15)  # a waking page asks at once, a worker writes who is here every ten seconds
    phones.expect_here((*asleep, *awake), "when all are awake again")
    phones.look_for_errors("when all are awake again")
    phones.play_at_tables()
    phones.play_round_by_the_clock()
    phones.look_for_errors("after the second round")
    if SECONDS - first > NOT_DEALT_IN_AFTER:
        text = phones.room.boss.get("/projector?show=round").text
        dealt = re.search(r"(\d+) cards in play", text)
        if dealt is None or int(dealt[1]) != PHONES - CLOSED:
            phones.faults.append(f"dealt in: {dealt and dealt[1]}")
    assert not phones.faults, "\n".join(phones.faults)
