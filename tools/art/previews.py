"""The pictures that chats show of a shared address, 1200 by 630, one a game and language.

They have the lobby's scene of the game, its name and one line, and no card's face. Written to
``static/previews/`` by the browser that draws the pages, once a game is new or renamed::

    python -m tools.art.previews
"""

from html import escape
from pathlib import Path
from typing import Final

from cardgames import GAMES
from cardgames.text import Text
from tests.support.serving import ROOT
from tools.art.screenshots import chromium
from web.http.i18n import LANGUAGES, catalogue
from web.sharing import EVERY_GAME, SAME_CARDS, SITE

PREVIEWS: Final = ROOT / "static" / "previews"

_STYLE: Final = """
body { margin: 0; width: 1200px; height: 630px; display: grid; align-content: center;
  justify-items: center; gap: 1.6rem; color: #f4faf5;
  font-family: Roboto, "DejaVu Sans", sans-serif;
  background: radial-gradient(120% 85% at 50% 42%, #1b7551, #0f5438 62%, #0a3f2a); }
svg { height: 300px; width: auto; }
h1 { margin: 0; font-size: 84px; line-height: 1.1; }
p { margin: 0; font-size: 42px; color: #e0efe5; }
"""


def page(scene: Path, title: str, line: str) -> str:
    """Return the page of which a picture is taken."""
    body = f"{scene.read_text()}<h1>{escape(title)}</h1><p>{escape(line)}</p>"
    return f"<!doctype html><meta charset=utf-8><style>{_STYLE}</style>{body}"


def main() -> None:
    """Write all the pictures afresh."""
    scenes = ROOT / "static" / "tables"
    PREVIEWS.mkdir(exist_ok=True)
    with chromium() as browser:
        sheet = browser.new_page(viewport={"width": 1200, "height": 630})
        for code in LANGUAGES:
            words = catalogue(code)
            subjects = {SITE: ("simple-21", "Cardgames", EVERY_GAME)}
            for slug, game in GAMES.items():
                subjects[slug] = (slug, game.info.title, SAME_CARDS)
            for subject, (scene, title, line) in subjects.items():
                texts = (Text(part).translated(words) for part in (title, line))
                sheet.set_content(page(scenes / f"{scene}.svg", *texts))
                picture = PREVIEWS / f"{subject}-{code}.jpg"
                sheet.screenshot(path=picture, type="jpeg", quality=72)


if __name__ == "__main__":
    main()
