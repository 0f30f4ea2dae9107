"""The Blackjack mini-project: what is drawn."""

from collections.abc import Callable
from itertools import pairwise
from types import ModuleType
from xml.etree import ElementTree as ET

import pytest

from tests.sheets.blackjack.support import FRESH, Recorder, drawn


def test_the_table_during_a_round(game: ModuleType, dealt: Callable[[str], None]) -> None:
    """S1-3, S1-28, S1-29, S1-30, S1-31, S1-42, S1-43: title, score, prompt; the hole has a back.

    The hole card's face is not drawn under its back, so that no canvas gets to know it.
    """
    dealt("C9 S2 H8 D3")
    canvas = drawn(game)
    assert canvas.words == "Blackjack | Score 0 | Dealer | Player 17 | Hit or stand?"
    assert [image for image, *_ in canvas.images].count(game.card_back) == 1
    cells = [image.shows(source, size) for image, source, size, _, _ in canvas.images]
    assert sorted(cells) == sorted(["C9", "H8", "D3", ""])
    assert "S2" not in cells
    back = next(call for call in canvas.images if call[0] is game.card_back)
    hole = Recorder()
    game.dealer.draw(hole, game.DEALER_POS)
    assert back == (game.card_back, (36, 48), (72, 96), hole.images[0][3], (72, 96))
    assert hole.images[1] in canvas.images


def test_the_table_after_a_round(game: ModuleType, dealt: Callable[[str], None]) -> None:
    """S1-28, S1-30, S1-31, S1-41, S1-43: every card is shown, after a bust as well."""
    dealt("C9 S2 H8 DK CK")
    game.hit()
    canvas = drawn(game)
    expected = (
        "Blackjack | Score -1 | Dealer 12 | Player 27 | You have busted. Dealer wins. New deal?"
    )
    assert canvas.words == expected
    cells = [image.shows(source, size) for image, source, size, _, _ in canvas.images]
    assert sorted(cells) == sorted(["C9", "H8", "CK", "S2", "DK"])


def test_the_frame(game: ModuleType) -> None:
    """S1-29, S1-34, S1-43: the title, and three buttons that are the handlers."""
    frame = game.make_frame()
    assert frame.title == "Blackjack"
    assert [(press.key, press.control.get_text(), press.handler) for press in frame.presses] == [
        ("D", "Deal", game.deal), ("H", "Hit", game.hit), ("S", "Stand", game.stand),
    ]  # fmt: skip


def test_the_picture(
    game: ModuleType, load: Callable[[str], ModuleType], dealt: Callable[[str], None]
) -> None:
    """S1-29, S1-30, S1-43: an SVG of 600 by 600 that needs no other file and hides the hole."""
    as_svg = load("simplegui_canvas").as_svg
    dealt("C9 S2 H8 DT")
    picture = as_svg(game.make_frame().canvas())
    root = ET.fromstring(picture)
    space = "{http://www.w3.org/2000/svg}"
    assert (root.tag, root.get("width"), root.get("height")) == (f"{space}svg", "600", "600")
    assert root[0].get("fill") == "Green"
    texts = [node.text for node in root.iter(f"{space}text")]
    assert texts[:5] == ["Blackjack", "Score 0", "Dealer", "Player 17", "Hit or stand?"]
    assert [text for text in texts[5:] if len(text) > 1] == ["9♣", "8♥", "10♦"]
    assert len(root.findall(f"{space}g")) == 4
    assert not {"href", "src", "image"} & set(picture.replace("=", " ").split())
    game.stand()
    after = ET.fromstring(as_svg(game.make_frame().canvas()))
    corners = [node.text for node in after.iter(f"{space}text")][5:]
    assert [text for text in corners if len(text) > 1][:4] == ["9♣", "8♥", "2♠", "10♦"]


@pytest.mark.parametrize("count", [0, 1, 2, 5, 6, 7, 12])
def test_drawing_a_hand(game: ModuleType, count: int) -> None:
    """S1-27: side by side from pos on, five without overlap, and all of them on the canvas."""
    canvas, hand = Recorder(), game.Hand()
    for suit, rank in FRESH.split()[:count]:
        hand.add_card(game.Card(suit, rank))
    hand.draw(canvas, (50, 400))
    centers = [center for _, _, _, center, _ in canvas.images]
    assert centers[:1] == [[86, 448]][:count]
    assert (len(centers), {y for _, y in centers}) == (count, {448} if count else set())
    steps = {right[0] - left[0] for left, right in pairwise(centers)}
    assert len(steps) <= 1
    assert all(step >= (72 if count <= 6 else 20) for step in steps)
    assert all(x + 36 <= 600 for x, _ in centers)
