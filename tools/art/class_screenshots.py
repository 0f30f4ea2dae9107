"""The pictures of the classroom in docs/look.md and the guides: part of ``make screenshots``.

A class of 34 sits at a served copy, under a name as a class server has it. Its cards are dealt by
the system's luck, as in every round, so each time it is another round that is seen.
"""

import argparse
import tempfile
import time
from contextlib import closing
from pathlib import Path
from typing import Any, Final

from playwright.sync_api import Browser, Page

from cardgames.advice import Situation
from tests.support.classroom import Phone
from tests.support.insight import Habit, played
from tests.support.served_class import ServedClass
from tests.support.serving import Server
from tools.art.screenshots import PICTURES, chromium, packed

HOST: Final = "cards.example"
STUDENTS: Final = 34
TABLE: Final = "blackjack"
WEEK: Final = 7 * 86_400

STIFF, STOPS, MAX_HIT = 12, 17, 19
"""Totals of the mistakes in the pictures."""

PHONE: Final[dict[str, Any]] = {"width": 360, "height": 740}
SMALL: Final[dict[str, Any]] = {"width": 320, "height": 568}
SCREEN: Final[dict[str, Any]] = {"width": 1280, "height": 720}
LAPTOP: Final[dict[str, Any]] = {"width": 1280, "height": 800}


class Photographer:
    """Looks at the pages of a class as one or the other does, and keeps what is seen."""

    def __init__(self, browser: Browser, room: ServedClass, folder: Path) -> None:
        """Prepare to take pictures of a class into a folder."""
        self.browser, self.room, self.folder = browser, room, folder
        self._packer = browser.new_page()

    def take(self, name: str, path: str, phone: Phone | None = None, **how: Any) -> None:
        """Open a page, and take a picture of what is on the screen."""
        full = how.pop("full", False)
        press = how.pop("press", "")
        page = self.room.open(self.browser, path, phone, **how)
        if press:
            page.get_by_role("button", name=press).click()
            page.get_by_role("alert").wait_for()
        self._keep(page, name, full=full)
        page.context.close()

    def take_in_both(self, name: str, path: str, phone: Phone | None = None, **how: Any) -> None:
        """Take a picture in English, and in German for the German guide."""
        self.take(name, path, phone, **how)
        self.take(f"de/{name}", path, phone, language="de", **how)

    def _keep(self, page: Page, name: str, *, full: bool) -> None:
        page.evaluate("document.activeElement?.blur()")
        (self.folder / f"{name}.webp").write_bytes(packed(self._packer, page, full=full))


def before_the_round(camera: Photographer) -> None:
    """Join, and look at what there is before cards are dealt."""
    room, take = camera.room, camera.take
    camera.take_in_both("join", "", **PHONE)
    take("screen-join", "/projector", **SCREEN)
    take("deal", "/dashboard", room.boss, **LAPTOP)


def automatic(camera: Photographer) -> None:
    """Play a round that the server covers, call by call until somebody has BINGO!"""
    room, take = camera.room, camera.take
    room.move("deal", every="0", mode="L")
    room.call(9)
    student = nearest(room)
    take("card", "/bingo", student, **PHONE)
    take("card-small", "/bingo", student, **SMALL)
    take("card-plain", "/bingo", student, **PHONE, script=False)
    take("card-german", "/bingo", student, **PHONE, language="de")
    take("list", "/bingo?as=list", student, **PHONE)
    camera.take_in_both("screen-round", "/projector?show=round", **SCREEN)
    camera.take_in_both("dashboard", "/dashboard", room.boss, **LAPTOP)
    take("print", "/print?from=1&to=4", room.boss, width=800, height=1130)
    room.call_until()
    take("won", "/bingo", room.winner(), **PHONE)
    take("screen-bingo", "/projector?show=round", **SCREEN)
    take("dashboard-bingo", "/dashboard", room.boss, width=390, height=844)
    room.move("end")


def by_hand(camera: Photographer) -> None:
    """Play a round in which students cover and claim."""
    room, take = camera.room, camera.take
    room.move("deal", every="0", mode="L", by_hand="Y")
    room.call(6)
    student = nearest(room)
    own = student.bingo()["card"]["cards"]
    called = room.desk()["round"]["called"]
    for place, card in enumerate(own):
        if card in called:
            student.post("/bingo", move="mark", place=place, on="Y", round=2)
    take("not-yet", "/bingo", student, **PHONE, press="BINGO!")


def vote(camera: Photographer) -> None:
    """Vote on sixteen against a ten, talk, vote again, and see the odds."""
    room, take = camera.room, camera.take

    def press(move: str, **fields: Any) -> None:
        room.boss.post("/votes", move=move, step=room.boss.json("/votes")["step"], **fields)

    press("ask", table="blackjack", hand="10 6", upcard="10")
    take("vote", "/vote", room.phones[0], **PHONE)
    for ballot, stands in (("1", 12), ("2", 25)):
        for number, phone in enumerate(room.phones):
            choice = "stay" if number < stands else "hit"
            phone.post("/vote", vote=1, ballot=ballot, choice=choice, sure=1 + number % 3)
        press("close-vote")
        if ballot == "1":
            take("screen-vote", "/projector?show=vote", **SCREEN)
            press("second")
    press("solve")
    camera.take_in_both("screen-vote-solved", "/projector?show=vote", **SCREEN)


def lessons(camera: Photographer) -> None:
    """Play at Blackjack on two days, with mistakes of which some are mended, and look at both."""
    room = camera.room
    for day, at in enumerate((time.time() - WEEK, time.time())):
        rounds = {
            student: [
                played(TABLE, f"{day:08x}{student:08x}{number:016x}", habit(student, day))
                for number in range(12)
            ]
            for student in range(1, STUDENTS + 1)
        }
        room.teach(TABLE, rounds, at)
    camera.take_in_both("insight", "/insight", room.boss, **LAPTOP)
    camera.take_in_both("lesson", "/lesson", room.boss, **LAPTOP)


def habit(student: int, day: int) -> Habit:
    """Return what a student gets wrong on a day: a third hits hard 17, until the second day."""

    def chosen(one: Situation) -> str:
        if one.soft:
            return "stay" if one.total <= STOPS and not student % 4 else ""
        if one.total >= STOPS:
            return "hit" if one.total < MAX_HIT and not day and not student % 3 else ""
        return "stay" if one.total >= STIFF and student % 2 else ""

    return chosen


def nearest(room: ServedClass) -> Phone:
    """Return the student who has covered most of the cards, and one who is one away if there is."""
    shown = [(one.bingo()["card"], one) for one in room.phones]
    return max(shown, key=lambda pair: (bool(pair[0]["one_away"]), len(pair[0]["covered"])))[1]


def main() -> None:
    """Take the pictures anew."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--folder", type=Path, default=PICTURES / "class")
    folder: Path = parser.parse_args().folder
    (folder / "de").mkdir(parents=True, exist_ok=True)
    names = f"{HOST},127.0.0.1"
    with (
        tempfile.TemporaryDirectory() as data,
        Server(Path(data), CLASSES="open", ALLOWED_HOSTS=names) as server,
    ):
        found = f"--host-resolver-rules=MAP {HOST}:80 127.0.0.1:{server.port}"
        room = ServedClass(server, f"http://{HOST}")
        with chromium(found) as browser, closing(room):  # its pages close before the browser
            room.join(STUDENTS)
            camera = Photographer(browser, room, folder)
            before_the_round(camera)
            automatic(camera)
            by_hand(camera)
            room.move("void")
            vote(camera)
            lessons(camera)


if __name__ == "__main__":
    main()
