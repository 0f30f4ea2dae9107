"""Takes the pictures of the pages in the README and the guides: ``make screenshots``.

The pictures are taken from a local server. The tables use the sheets' own decks, so that these
pictures change only if the pages change. The class of 34 students has random cards, so each run
takes pictures of a different round. The browser that takes the pictures also encodes them as WebP,
which takes a tenth of the size of PNG.
"""

import base64
import shutil
import tempfile
import time
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, Final

from playwright.sync_api import Browser, Page, sync_playwright

from tests.support.classroom import Phone
from tests.support.insight import HABITS, best_play, played
from tests.support.served_class import ServedClass
from tests.support.serving import ROOT, Server

PICTURES: Final = ROOT / "docs" / "pictures"
DECKS: Final = ROOT / "tests" / "decks"
SIMPLE_21: Final = ROOT / "course" / "sheets" / "simple21" / "solution"
CHROMIUM: Final = shutil.which("chromium") or "/usr/bin/chromium"
HOST: Final = "cards.example"
"""The host name of the class server in the pictures."""

STUDENTS: Final = 34
TABLE: Final = "blackjack"

PHONE: Final[dict[str, Any]] = {"width": 360, "height": 740}
SCREEN: Final[dict[str, Any]] = {"width": 1280, "height": 720}
LAPTOP: Final[dict[str, Any]] = {"width": 1280, "height": 800}

_PACK: Final = """async ([source, quality]) => {
    const image = new Image();
    image.src = source;
    await image.decode();
    const canvas = document.createElement("canvas");
    [canvas.width, canvas.height] = [image.naturalWidth, image.naturalHeight];
    canvas.getContext("2d").drawImage(image, 0, 0);
    return canvas.toDataURL("image/webp", quality);
}"""


@contextmanager
def chromium(*flags: str) -> Iterator[Browser]:
    """Run a browser without background requests."""
    quiet = ("--no-sandbox", "--disable-gpu", "--disable-background-networking")
    with sync_playwright() as playwright:
        yield playwright.chromium.launch(executable_path=CHROMIUM, args=[*quiet, *flags])


def take(page: Page, name: str) -> None:
    """Save the screen as a picture, which is encoded by a separate page."""
    page.evaluate("document.activeElement?.blur()")
    # Not "networkidle", because a page of a class always has a held request.
    page.wait_for_load_state()
    page.evaluate("Promise.all([...document.images].map((image) => image.decode()))")
    png = base64.b64encode(page.screenshot()).decode()
    packer = page.context.new_page()
    url: str = packer.evaluate(_PACK, [f"data:image/png;base64,{png}", 0.6])
    packer.close()
    (PICTURES / f"{name}.webp").write_bytes(base64.b64decode(url.partition(",")[2]))


# ---- The tables ----------------------------------------------------------------------------------


def press(page: Page, *buttons: str) -> None:
    """Click the buttons of moves, and wait for the table after each move."""
    for button in buttons:
        old = page.locator("main").element_handle()
        page.locator(".moves").get_by_role("button", name=button, exact=True).click()
        page.wait_for_function(
            "old => !old.isConnected && !document.querySelector('[aria-busy]')", arg=old
        )


def deal(page: Page, table: str, **decks: str) -> None:
    """Open a table, select a deck file for each given field, and deal."""
    page.goto(table)
    for field, name in decks.items():
        page.locator(f"details:has([name={field}]) > summary").click()
        page.locator(f"input[type=file][name={field}]").set_input_files(DECKS / name)
    press(page, "Deal")


def tables(page: Page, site: str) -> None:
    """Open every table once."""
    moves = {
        "simple-21": ("Stay", "Deal", "Hit", "Deal", "Stay", "Deal", "Hit", "Hit", "Stay"),
        "blackjack": (),
        "one-deck": ("Stand",),
        "war": ("1 turn",),
    }
    for slug, buttons in moves.items():
        deal(page, f"{site}/{slug}", deck="shuffledDeck.txt")
        press(page, *buttons)
        take(page, slug)
    page.goto(f"{site}/bingo")
    page.get_by_role("button", name="Automatic").click()
    page.wait_for_load_state("networkidle")
    decks = {"bingo_deck": "bingoDeck.txt", "calling_deck": "callingDeck_line_Awins.txt"}
    deal(page, f"{site}/bingo", **decks)
    press(page, "Until BINGO!")
    take(page, "bingo")


def own_classes(page: Page, site: str) -> None:
    """Play a student's classes until the page reports that an ace counts 11."""
    page.add_init_script("Math.random = () => 0.5")  # the same cards in each run
    page.goto(f"{site}/sheets/simple-21/try")
    with tempfile.TemporaryDirectory() as folder:
        files = [Path(shutil.copy(file, folder)) for file in SIMPLE_21.glob("*.py")]
        cards = Path(folder, "playingCards.py")
        wrong = 'return 11 if self.__rank == "A" else VALUES[self.__rank]'
        cards.write_text(cards.read_text().replace("return VALUES[self.__rank]", wrong))
        page.set_input_files("#files", files)
        button = "#sit"
        while not page.locator("#difference").is_visible():
            page.click(f"{button}:not([disabled])")
            page.wait_for_timeout(100)
            page.locator("#own:not([aria-busy])").wait_for(timeout=60_000)
            button = "#moves button:first-child"
    page.locator("#at-table").evaluate("(element) => element.scrollIntoView()")
    take(page, "own")


# ---- A class -------------------------------------------------------------------------------------


_FOLDERS: Final = {"en": "class", "de": "class/de"}


def take_in(
    languages: Iterable[str],
    browser: Browser,
    room: ServedClass,
    name: str,
    path: str,
    who: Phone | None = None,
    **how: Any,
) -> None:
    """Take pictures of a page of the class in several languages."""
    for language in languages:
        folder, page = _FOLDERS[language], room.open(browser, path, who, language=language, **how)
        take(page, f"{folder}/{name}")
        page.context.close()


def vote(room: ServedClass) -> None:
    """Vote on a sixteen against a ten, discuss, vote again, and show the odds."""
    room.vote("ask", table=TABLE, hand="10 6", upcard="10")
    for ballot, stands, after in (("1", 12, "second"), ("2", 25, "solve")):
        for number, phone in enumerate(room.phones):
            choice = "stay" if number < stands else "hit"
            phone.post("/vote", vote=1, ballot=ballot, choice=choice, sure=1 + number % 3)
        room.vote("close-vote")
        room.vote(after)


def a_class(browser: Browser, room: ServedClass) -> None:
    """Join, play a round, vote, and open the insight page."""
    room.join(STUDENTS)
    take_in(_FOLDERS, browser, room, "join", "", **PHONE)
    room.move("deal", every="0", mode="L")
    room.call(9)
    take_in(_FOLDERS, browser, room, "screen-round", "/projector?show=round", **SCREEN)
    take_in(_FOLDERS, browser, room, "dashboard", "/dashboard", room.boss, **LAPTOP)
    room.move("void")
    vote(room)
    take_in(["en"], browser, room, "screen-vote-solved", "/projector?show=vote", **SCREEN)
    names = ("stops-strong", "never-hits-soft-17", "stops-safe", "none")
    habits = [HABITS.get(name, best_play) for name in names]
    rounds = {
        student: [
            played(TABLE, f"{student:016x}{number:016x}", habits[student % len(habits)])
            for number in range(30)
        ]
        for student in range(1, STUDENTS + 1)
    }
    room.teach(rounds, time.time())
    take_in(["en"], browser, room, "insight", "/insight", room.boss, **LAPTOP)


def main() -> None:
    """Take all pictures again."""
    (PICTURES / "class" / "de").mkdir(parents=True, exist_ok=True)
    with (
        tempfile.TemporaryDirectory() as data,
        Server(Path(data), CLASSES="open", ALLOWED_HOSTS=f"{HOST},127.0.0.1") as server,
    ):
        found = f"--host-resolver-rules=MAP {HOST}:80 127.0.0.1:{server.port}"
        room = ServedClass(server, f"http://{HOST}")
        with (
            chromium(found) as browser,
            closing(room),
        ):  # closes the class's pages before the browser closes
            page = browser.new_context(
                viewport={"width": 1000, "height": 700}, reduced_motion="reduce"
            ).new_page()
            tables(page, f"http://127.0.0.1:{server.port}")
            own_classes(page, f"http://127.0.0.1:{server.port}")
            a_class(browser, room)


if __name__ == "__main__":
    main()
