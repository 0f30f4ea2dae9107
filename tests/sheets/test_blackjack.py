"""The Blackjack mini-project agrees with the web table, and draws the correct images."""

import random
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from types import ModuleType
from typing import Any
from xml.etree import ElementTree as ET

import pytest

from cardgames.games.twentyone.rules import Winner
from cardgames.table import Phase
from tests.support.amounts import few_or_all
from tests.support.sheets import Luck, WebTable, command, loader, piped

FRESH = [suit + rank for suit in "CSHD" for rank in "A23456789TJQK"]

load = loader("blackjack")


@pytest.fixture
def game(load: Callable[[str], ModuleType]) -> ModuleType:
    return load("blackjack")


@pytest.fixture
def dealt(game: ModuleType, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Return the function that deals a round.

    The cards are in the order player, dealer, player, dealer, followed by the drawn cards.
    """

    def dealt(codes: str) -> None:
        order = codes.split()
        arranged = [code for code in FRESH if code not in order] + order[::-1]
        monkeypatch.setattr(
            random, "shuffle", lambda cards: cards.sort(key=lambda c: arranged.index(str(c)))
        )
        game.deal()

    return dealt


class Recorder:
    """A canvas that records the drawn objects."""

    def __init__(self) -> None:
        self.images: list[tuple[Any, ...]] = []
        self.texts: list[tuple[Any, ...]] = []

    def draw_image(self, *arguments: Any) -> None:
        self.images.append(arguments)

    def draw_text(self, *arguments: Any) -> None:
        self.texts.append(arguments)

    @property
    def words(self) -> str:
        return " | ".join(text for text, *_ in self.texts)


def drawn(game: ModuleType) -> Recorder:
    canvas = Recorder()
    game.draw(canvas)
    return canvas


def codes(hand: Any) -> str:
    return " ".join(map(str, hand.cards))


@few_or_all("sessions", 50, 500)
def test_the_mini_project_and_the_web_table_agree(
    game: ModuleType, monkeypatch: pytest.MonkeyPatch, sessions: int
) -> None:
    """S1-2, S1-6, S1-7, S1-8, S1-9, S1-32, S1-33, S1-35, S1-36, S1-37: many sessions agree.

    This also covers S1-38: the frequencies of the dealer's totals agree with those computed card by
    card.
    """
    forfeits = 0

    def web_codes(hand: tuple[Any, ...]) -> str:
        return " ".join(card.suit + card.rank for card in hand)

    for seed in range(sessions):
        player = random.Random(seed)
        luck = Luck(seed, code=lambda card: card.get_rank() + card.get_suit(), top=-1)
        monkeypatch.setattr(random, "shuffle", luck.shuffle)
        table = WebTable("blackjack", Luck(seed))
        monkeypatch.setattr(game, "score", 0)
        monkeypatch.setattr(game, "in_play", False)
        move = "deal"
        for _ in range(30):
            forfeits += move == "deal" and table.phase is Phase.PLAYING
            table.play(move)
            state = table.state
            {"deal": game.deal, "hit": game.hit, "stay": game.stand}[move]()
            assert codes(game.player) == web_codes(state.player)
            assert codes(game.dealer) == web_codes(state.dealer)
            assert game.in_play is (table.phase is Phase.PLAYING)
            assert game.score == table.counts()["player"] - table.counts()["dealer"]
            assert game.player.get_value() == table.view.player.total
            cells = [i.shows(source, size) for i, source, size, _, _ in drawn(game).images]
            assert cells.count("") == table.view.dealer.cards.count(None)
            if state.winner is Winner.PLAYER:
                assert "You win!" in game.outcome
            move = player.choices(["hit", "stay", "deal"], [5, 5, 1])[0] if game.in_play else "deal"
        assert table.luck.count == luck.count
    assert forfeits > 0.6 * sessions


def test_the_table_during_a_round(game: ModuleType, dealt: Callable[[str], None]) -> None:
    """S1-3, S1-28, S1-29, S1-30, S1-31, S1-42, S1-43: title, score, prompt, and a card's back.

    The face of the hole card is not drawn below its back, so no canvas receives the face.
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
    """S1-28, S1-30, S1-31, S1-41, S1-43: every card is shown, even after a bust."""
    dealt("C9 S2 H8 DK CK")
    game.hit()
    canvas = drawn(game)
    expected = (
        "Blackjack | Score -1 | Dealer 12 | Player 27 | You have busted. Dealer wins. New deal?"
    )
    assert canvas.words == expected
    cells = [image.shows(source, size) for image, source, size, _, _ in canvas.images]
    assert sorted(cells) == sorted(["C9", "H8", "CK", "S2", "DK"])


def test_the_picture(
    game: ModuleType, load: Callable[[str], ModuleType], dealt: Callable[[str], None]
) -> None:
    """S1-29, S1-30, S1-43: the picture is an SVG of 600 by 600 pixels that needs no other file."""
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
    """S1-27: the cards are drawn side by side, starting at pos.

    Five cards fit on the canvas without overlapping.
    """
    canvas, hand = Recorder(), game.Hand()
    for suit, rank in FRESH[:count]:
        hand.add_card(game.Card(suit, rank))
    hand.draw(canvas, (50, 400))
    centers = [center for _, _, _, center, _ in canvas.images]
    assert centers[:1] == [[86, 448]][:count]
    assert (len(centers), {y for _, y in centers}) == (count, {448} if count else set())
    steps = {right[0] - left[0] for left, right in pairwise(centers)}
    assert len(steps) <= 1
    assert all(step >= (72 if count <= 6 else 20) for step in steps)
    assert all(x + 36 <= 600 for x, _ in centers)


def test_the_program_writes_the_picture_it_is_asked_for(tmp_path: Path) -> None:
    """S1-30, S1-43: each key writes the SVG again, and a write error prints no traceback."""
    arguments, folder = command("blackjack", "blackjack", "file")
    picture = tmp_path / "table.svg"
    shown = piped([*arguments, str(picture)], folder, "s\n")
    assert "New deal?" in picture.read_text()
    assert "Cannot write" not in shown
    shown = piped([*arguments, str(tmp_path / "no" / "table.svg")], folder, "q\n")
    assert f"\nCannot write to {tmp_path}/no/table.svg.\n" in shown
    assert sorted(path.name for path in tmp_path.iterdir()) == ["table.svg"]


def test_a_hands_value_is_looked_up(game: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    """S1-19, A1-1: the values are read from VALUES, as the sheet requires."""
    hand = game.Hand()
    for suit, rank in ("S7", "D3"):
        hand.add_card(game.Card(suit, rank))
    assert hand.get_value() == 10
    monkeypatch.setitem(game.VALUES, "7", 5)
    assert hand.get_value() == 8
