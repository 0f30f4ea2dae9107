"""The pictures of the pages in the README and in docs/look.md: ``make screenshots``.

They are taken from a served copy: every table in light, in dark and on a phone. The decks are the
sheets' own, so that the pictures change only when the pages do. The browser that takes them also
packs them as WebP, a tenth of their size as PNG.
"""

import base64
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

from playwright.sync_api import Browser, Page, ViewportSize, sync_playwright

from tests.support.serving import ROOT, Server

PICTURES: Final = ROOT / "docs" / "pictures"
DECKS: Final = ROOT / "tests" / "decks"
SHEET: Final = ROOT / "course" / "sheets" / "simple21"
CHROMIUM: Final = shutil.which("chromium") or "/usr/bin/chromium"

QUALITY: Final = 0.6
_PACK: Final = """async ([source, quality]) => {
    const image = new Image();
    image.src = source;
    await image.decode();
    const canvas = document.createElement("canvas");
    [canvas.width, canvas.height] = [image.naturalWidth, image.naturalHeight];
    canvas.getContext("2d").drawImage(image, 0, 0);
    return canvas.toDataURL("image/webp", quality);
}"""


@dataclass(frozen=True)
class Style:
    """A way to look at the pages: what its pictures' names end in, and the screen."""

    ending: str
    width: int
    height: int
    scheme: Literal["light", "dark"]
    scale: float = 1


STYLES: Final = (
    Style("", 1000, 700, "light"),
    Style("-dark", 1000, 700, "dark"),
    Style("-phone", 360, 740, "light", scale=1.5),
)


@contextmanager
def chromium(*flags: str) -> Iterator[Browser]:
    """Run a browser that asks nobody for anything."""
    quiet = ("--no-sandbox", "--disable-gpu", "--disable-background-networking")
    with sync_playwright() as playwright:
        yield playwright.chromium.launch(executable_path=CHROMIUM, args=[*quiet, *flags])


class Camera:
    """Takes pictures of a page, and packs them in a page of its own."""

    def __init__(self, browser: Browser, style: Style) -> None:
        """Open a page in a style, without motion."""
        self.style = style
        self.page: Page = browser.new_page(
            viewport=ViewportSize(width=style.width, height=style.height),
            color_scheme=style.scheme,
            device_scale_factor=style.scale,
            has_touch=style.ending == "-phone",
            is_mobile=style.ending == "-phone",
            reduced_motion="reduce",
        )
        self._packer = browser.new_page()

    def take(self, name: str, top: str = "body") -> None:
        """Write what is on the screen to a picture, an element's top first; of the lobby all."""
        self.page.evaluate("document.activeElement?.blur()")
        self.page.locator(top).evaluate("(element) => element.scrollIntoView()")
        self.page.wait_for_load_state("networkidle")
        path = PICTURES / f"{name}{self.style.ending}.webp"
        path.write_bytes(packed(self._packer, self.page, full=name == "lobby"))


def packed(packer: Page, page: Page, *, full: bool) -> bytes:
    """Return a picture of a page, of all of it or what is on the screen, packed in another page."""
    png = base64.b64encode(page.screenshot(full_page=full)).decode()
    url: str = packer.evaluate(_PACK, [f"data:image/png;base64,{png}", QUALITY])
    return base64.b64decode(url.partition(",")[2])


def press(page: Page, button: str) -> None:
    """Press a move's button and wait for the table after it."""
    old = page.locator("main").element_handle()
    page.locator(".moves").get_by_role("button", name=button, exact=True).click()
    page.wait_for_function(
        "old => !old.isConnected && !document.querySelector('[aria-busy]')", arg=old
    )


def deal(page: Page, table: str, **decks: str) -> None:
    """Open a table and deal with deck files, given by their field."""
    page.goto(table)
    for field, name in decks.items():
        page.locator(f"details:has([name={field}]) > summary").click()
        page.locator(f"input[type=file][name={field}]").set_input_files(DECKS / name)
    press(page, "Deal")


def tour(camera: Camera, site: str) -> None:
    """Sit down at every table once."""
    page, take = camera.page, camera.take
    deal(page, f"{site}/simple-21", deck="shuffledDeck.txt")
    for move in ("Stay", "Deal", "Hit", "Deal", "Stay", "Deal", "Hit", "Hit", "Stay"):
        press(page, move)
    take("simple-21")
    deal(page, f"{site}/blackjack", deck="shuffledDeck.txt")
    take("blackjack")
    deal(page, f"{site}/one-deck", deck="shuffledDeck.txt")
    press(page, "Stand")
    take("one-deck")
    deal(page, f"{site}/war", deck="shuffledDeck.txt")
    press(page, "1 turn")
    take("war")
    decks = {"bingo_deck": "bingoDeck.txt", "calling_deck": "callingDeck_line_Awins.txt"}
    page.goto(f"{site}/bingo")
    page.get_by_role("button", name="Automatic").click()
    page.wait_for_load_state("networkidle")
    deal(page, f"{site}/bingo", **decks)
    press(page, "Until BINGO!")
    take("bingo")
    page.goto(f"{site}/puzzles")
    press(page, "Stand")
    take("puzzle")
    page.goto(f"{site}/")
    take("lobby")
    own_classes(page, site)
    take("own", "#at-table")


def own_classes(page: Page, site: str) -> None:
    """Let a student's own classes deal, with an ace of 11, until the page finds it."""
    page.add_init_script("Math.random = () => 0.5")  # the same cards each time
    page.goto(f"{site}/sheets/simple-21/try")
    with tempfile.TemporaryDirectory() as folder:
        files = [Path(shutil.copy(file, folder)) for file in SHEET.glob("*.py")]
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


def main() -> None:
    """Take all the pictures anew."""
    PICTURES.mkdir(parents=True, exist_ok=True)
    with chromium() as browser:
        for style in STYLES:
            with tempfile.TemporaryDirectory() as data, Server(Path(data)) as server:
                tour(Camera(browser, style), f"http://127.0.0.1:{server.port}")


if __name__ == "__main__":
    main()
