"""The Blackjack mini-project: its classes, handlers, drawing and program, and the table it is.

Each test names the requirements it covers first.
"""

import ast
import random
import sys
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from types import ModuleType
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from cardgames.twentyone import PIPS, Phase, Winner

from cardgames import GAMES
from cardgames.cards import FULL_DECK
from tests.sheets import (
    ASSIGNMENTS,
    EOF,
    INTERRUPT,
    ROOT,
    Luck,
    Transcript,
    command,
    in_terminal,
    piped,
    public_names,
    sheet,
    undocumented,
)

FOLDER = ASSIGNMENTS / "blackjack"
RANKS = "A23456789TJQK"
FRESH = " ".join(suit + rank for suit in "CSHD" for rank in RANKS)
PROMPT = "Deal, Hit, Stand, Quit? >> "
GOODBYE = "\nThank you for playing. Goodbye...\n"


@pytest.fixture
def load() -> Iterator[Callable[[str], ModuleType]]:
    with sheet("blackjack") as load:
        yield load


@pytest.fixture
def game(load: Callable[[str], ModuleType]) -> ModuleType:
    return load("blackjack")


@pytest.fixture
def dealt(game: ModuleType, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Deal a round whose cards come in this order: player, dealer, player, dealer, and on."""

    def dealt(codes: str) -> None:
        order = codes.split()
        arranged = [code for code in FRESH.split() if code not in order] + order[::-1]
        monkeypatch.setattr(
            random, "shuffle", lambda cards: cards.sort(key=lambda c: arranged.index(str(c)))
        )
        game.deal()

    return dealt


class Recorder:
    """A canvas that remembers what was drawn."""

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


def hand_of(game: ModuleType, codes: str) -> Any:
    hand = game.Hand()
    for suit, rank in codes.split():
        hand.add_card(game.Card(suit, rank))
    return hand


def codes(hand: Any) -> str:
    return " ".join(map(str, hand.cards))


# The classes of phase one


def test_the_names_of_the_template(game: ModuleType) -> None:
    """S1-10, S1-14, S1-26: constants, and a table where nothing is dealt yet."""
    assert (game.CARD_SIZE, game.CARD_CENTER) == ((72, 96), (36, 48))
    assert (game.CARD_BACK_SIZE, game.CARD_BACK_CENTER) == ((72, 96), (36, 48))
    assert (("C", "S", "H", "D"), tuple(RANKS)) == (game.SUITS, game.RANKS)
    assert {rank.value: points for rank, points in PIPS.items()} == game.VALUES
    assert [game.VALUES[rank] for rank in "A9TK"] == [1, 9, 10, 10]
    assert (game.in_play, game.outcome, game.score) == (False, "", 0)
    assert (game.player.cards, game.dealer.cards) == ([], [])
    drawn(game)


def test_the_public_names(game: ModuleType) -> None:
    """S1-10, S1-11, S1-14: the methods of the template, no more."""
    assert public_names(game.Card) == {"get_suit", "get_rank", "draw"}
    assert public_names(game.Hand) == {"add_card", "get_value", "draw"}
    assert public_names(game.Deck) == {"shuffle", "deal_card"}


def test_cards(game: ModuleType) -> None:
    """S1-10: suit first, rank second, in the template's own form."""
    for suit in "CSHD":
        for rank in RANKS:
            card = game.Card(suit, rank)
            assert (card.get_suit(), card.get_rank(), str(card)) == (suit, rank, suit + rank)


@pytest.mark.parametrize(("suit", "rank"), [("X", "A"), ("S", "1"), ("A", "S"), ("SH", "A")])
def test_invalid_cards(
    game: ModuleType, capsys: pytest.CaptureFixture[str], suit: str, rank: str
) -> None:
    """S1-10: the template's message, and neither suit nor rank."""
    card = game.Card(suit, rank)
    assert capsys.readouterr().out == f"Invalid card:  {suit} {rank}\n"
    assert (card.get_suit(), card.get_rank()) == (None, None)


def test_hands(game: ModuleType) -> None:
    """S1-11, S1-12, S1-13: a list of the Card objects that were added, as the template shows it."""
    hand = game.Hand()
    assert (hand.cards, str(hand)) == ([], "Hand contains ")
    cards = [game.Card("S", "A"), game.Card("C", "2"), game.Card("D", "T")]
    for card in cards:
        hand.add_card(card)
    assert all(mine is card for mine, card in zip(hand.cards, cards, strict=True))
    assert str(hand) == "Hand contains SA C2 DT "
    assert game.Hand().cards == []


VALUES = {
    "": 0, "C2 C7 DT SK": 29, "SA": 11, "SA DA": 12, "SA DA SK": 12, "SA DA SK C7": 19,
    "C2 C7": 9, "SA DK": 21, "SA D6": 17, "SA D6 CT": 17, "SA DA CA HA": 14, "SA D5 C5": 21,
    "SA D9 CA": 21, "SK DQ C2": 22, "SJ DQ": 20,
}  # fmt: skip


@pytest.mark.parametrize(("cards", "value"), VALUES.items())
def test_values_of_hands(game: ModuleType, cards: str, value: int) -> None:
    """S1-1, S1-19: the template's own examples, and others; one ace at most counts 11."""
    assert hand_of(game, cards).get_value() == value


def test_decks(game: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    """S1-14, S1-15, S1-16, S1-17, S1-40: in order until shuffled, and dealt from the end."""
    deck = game.Deck()
    assert str(deck) == f"Deck contains {FRESH} "
    assert (str(deck.deal_card()), str(deck.deal_card())) == ("DK", "DQ")
    assert str(deck) == f"Deck contains {FRESH.removesuffix(' DQ DK')} "
    deck = game.Deck()
    deck.shuffle()
    assert str(deck) != f"Deck contains {FRESH} "
    cards = [deck.deal_card() for _ in range(52)]
    assert all(isinstance(card, game.Card) for card in cards)
    assert sorted(map(str, cards)) == sorted(FRESH.split())
    assert str(deck) == "Deck contains "
    with pytest.raises(IndexError):
        deck.deal_card()
    monkeypatch.setattr(random, "shuffle", list.reverse)
    deck = game.Deck()
    deck.shuffle()
    assert str(deck.deal_card()) == "CA"


# The handlers


def test_the_deal(game: ModuleType, dealt: Callable[[str], None]) -> None:
    """S1-2, S1-3, S1-18, S1-39, S1-40: two cards each; hands and deck are 52 different cards."""
    dealt("C9 S2 H8 D3")
    assert (codes(game.player), codes(game.dealer)) == ("C9 H8", "S2 D3")
    assert len(game.deck.cards) == 48
    everything = game.deck.cards + game.player.cards + game.dealer.cards
    assert sorted(map(str, everything)) == sorted(FRESH.split())
    assert (game.in_play, game.score, game.outcome) == (True, 0, "Hit or stand?")
    assert drawn(game).words.count("Player 17") == 1


def test_a_new_deck_for_each_deal(game: ModuleType) -> None:
    """S1-18, S1-32, S1-39: the deck never runs empty, however often it is dealt."""
    orders = set()
    for _ in range(60):
        before = (game.deck, game.player, game.dealer)
        game.deal()
        assert not any(game.deck is old or game.player is old for old in before)
        assert (len(game.deck.cards), len(game.player.cards), len(game.dealer.cards)) == (48, 2, 2)
        orders.add(str(game.deck))
    assert len(orders) == 60


def test_dealing_in_mid_round_loses_it(game: ModuleType, dealt: Callable[[str], None]) -> None:
    """S1-33, S1-35, S1-43: one point and a message; a new round is on; the first deal is free."""
    dealt("C9 S2 H8 D3")
    assert game.score == 0
    dealt("CT S2 H8 D3")
    assert (game.score, game.in_play) == (-1, True)
    assert game.outcome == "You lost the round by dealing. Hit or stand?"
    assert codes(game.player) == "CT H8"
    dealt("CT S2 H8 D3")
    assert game.score == -2
    game.stand()
    score = game.score
    game.deal()
    assert (game.score, game.outcome) == (score, "Hit or stand?")


def test_hitting(game: ModuleType, dealt: Callable[[str], None]) -> None:
    """S1-4, S1-20, S1-40: one card each time, also on exactly 21, from the deck to the hand."""
    dealt("C2 S2 H3 D3 C4 HQ D2 SA")
    for expected in ("C2 H3 C4", "C2 H3 C4 HQ", "C2 H3 C4 HQ D2"):
        game.hit()
        assert codes(game.player) == expected
        assert (game.in_play, game.score, game.outcome) == (True, 0, "Hit or stand?")
    assert game.player.get_value() == 21
    game.hit()
    assert (game.player.get_value(), game.in_play) == (22, False)
    assert len(game.deck.cards) == 52 - 6 - 2


def test_busting(game: ModuleType, dealt: Callable[[str], None]) -> None:
    """S1-5, S1-20, S1-21, S1-31, S1-35, S1-36: lost at once, once, and standing is a reminder."""
    dealt("CT S2 HT D3 C4 HQ")
    game.hit()
    assert (game.in_play, game.score) == (False, -1)
    assert game.outcome == "You have busted. Dealer wins. New deal?"
    hands = codes(game.player), codes(game.dealer), str(game.deck)
    assert hands[:2] == ("CT HT C4", "S2 D3")
    game.hit()
    assert game.outcome == "You have busted. Dealer wins. New deal?"
    for _ in range(2):
        game.stand()
        assert game.outcome == "You have busted already. New deal?"
    assert (game.in_play, game.score) == (False, -1)
    assert (codes(game.player), codes(game.dealer), str(game.deck)) == hands


ENDS = {
    "dealer stands on 17, ties": ("CT ST H7 D7", "ST D7", "Dealer wins. New deal?", -1),
    "dealer stands on soft 17": ("CT SA H8 D6", "SA D6", "You win! New deal?", 1),
    "dealer ace 11 busts, so 1": ("CT SA H8 D5 CJ C2", "SA D5 CJ C2", "Dealer wins. New deal?", -1),
    "dealer draws at 16": ("CT ST H7 D6 CA", "ST D6 CA", "Dealer wins. New deal?", -1),
    "dealer busts": ("C2 ST H3 D6 CK", "ST D6 CK", "Dealer has busted. You win! New deal?", 1),
    "player higher": ("CT ST HT D9", "ST D9", "You win! New deal?", 1),
    "dealer higher": ("CT ST H9 DQ", "ST DQ", "Dealer wins. New deal?", -1),
    "tie at 21": ("CA SA HK DK", "SA DK", "Dealer wins. New deal?", -1),
    "two-card 21 against three": ("CA S7 HK D7 C7", "S7 D7 C7", "Dealer wins. New deal?", -1),
    "21 wins once": ("CA ST HK DQ", "ST DQ", "You win! New deal?", 1),
}


@pytest.mark.parametrize(("cards", "dealer", "outcome", "score"), ENDS.values(), ids=ENDS)
def test_standing(  # the ends of a round
    game: ModuleType,
    dealt: Callable[[str], None],
    cards: str,
    dealer: str,
    outcome: str,
    score: int,
) -> None:
    """S1-1, S1-2, S1-6, S1-7, S1-8, S1-9, S1-22, S1-23, S1-24, S1-35, S1-37: who wins, and why."""
    dealt(cards)
    player = codes(game.player)
    game.stand()
    assert (codes(game.player), codes(game.dealer)) == (player, dealer)
    assert (game.in_play, game.outcome, game.score) == (False, outcome, score)
    after = str(game.deck)
    for handler in (game.stand, game.hit, game.stand):
        handler()
    assert (codes(game.player), codes(game.dealer), str(game.deck)) == (player, dealer, after)
    assert (game.in_play, game.outcome, game.score) == (False, outcome, score)


def test_nothing_happens_before_the_first_deal(game: ModuleType) -> None:
    """S1-26, S1-36: hit and stand on an empty table."""
    game.hit()
    game.stand()
    assert (game.in_play, game.outcome, game.score) == (False, "", 0)
    assert len(game.deck.cards) == 52


# Drawing


def test_drawing_a_card(game: ModuleType) -> None:
    """S1-10, S1-27: the cell of the sheet of faces, and pos is the upper left corner."""
    for row, suit in enumerate("CSHD"):
        for column, rank in enumerate(RANKS):
            canvas = Recorder()
            game.Card(suit, rank).draw(canvas, [100, 200])
            source = (36 + 72 * column, 48 + 96 * row)
            assert canvas.images == [
                (game.card_images, source, (72, 96), [136, 248], (72, 96)),
            ]


@pytest.mark.parametrize("count", [0, 1, 2, 5, 6, 7, 12])
def test_drawing_a_hand(game: ModuleType, count: int) -> None:
    """S1-27: side by side from pos on, five without overlap, and all of them on the canvas."""
    canvas = Recorder()
    hand = hand_of(game, " ".join(FRESH.split()[:count]))
    hand.draw(canvas, (50, 400))
    centers = [center for _, _, _, center, _ in canvas.images]
    assert len(centers) == count
    assert centers[:1] == [[86, 448]][:count]
    assert all(y == 448 for _, y in centers)
    steps = {right[0] - left[0] for left, right in pairwise(centers)}
    assert len(steps) <= 1
    assert all(step >= (72 if count <= 6 else 20) for step in steps)
    assert all(x + 36 <= 600 for x, _ in centers)


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


def test_the_template_of_a_handler_is_kept(game: ModuleType) -> None:
    """S1-18, S1-20, S1-21, S1-25, S1-28: global handlers without arguments, draw with a canvas."""
    tree = ast.parse((FOLDER / "blackjack.py").read_text())
    arguments = {
        node.name: [argument.arg for argument in node.args.args]
        for node in tree.body
        if isinstance(node, ast.FunctionDef)
    }
    assert {name: arguments[name] for name in ("deal", "hit", "stand", "draw")} == {
        "deal": [], "hit": [], "stand": [], "draw": ["canvas"],
    }  # fmt: skip
    assert game.deal.__module__ == "blackjack"
    assert undocumented("blackjack") == []


def test_the_frame(game: ModuleType) -> None:
    """S1-29, S1-34, S1-43: the title, and three buttons that are the handlers."""
    frame = game.make_frame()
    assert frame.title == "Blackjack"
    assert frame.buttons == {"Deal": game.deal, "Hit": game.hit, "Stand": game.stand}


def test_the_picture(game: ModuleType, dealt: Callable[[str], None]) -> None:
    """S1-29, S1-30, S1-43: an SVG of 600 by 600 that needs no other file and hides the hole."""
    dealt("C9 S2 H8 DT")
    picture = game.make_frame().picture()
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
    after = ET.fromstring(game.make_frame().picture())
    corners = [node.text for node in after.iter(f"{space}text")][5:]
    assert [text for text in corners if len(text) > 1][:4] == ["9♣", "8♥", "2♠", "10♦"]


def test_texts_are_escaped(load: Callable[[str], ModuleType]) -> None:
    """S1-28: whatever a message says, the picture stays well formed."""
    canvas = load("blackjack_canvas").SvgCanvas(10, 20, 'a"b')
    canvas.draw_text("<&>", (1, 2), 3, '"')
    assert ET.fromstring(str(canvas))[1].text == "<&>"


def test_importing_deals_nothing(
    load: Callable[[str], ModuleType], capsys: pytest.CaptureFixture[str]
) -> None:
    """S1-25, S1-26: a hand is dealt when the program starts, not when it is imported."""
    game = load("blackjack")
    assert (game.in_play, capsys.readouterr()) == (False, ("", ""))


# The program

ARRANGED = """
import random, runpy, sys
order = ["DT", "ST", "HT", "D6", "H7", "CK", "H9", "S3", "D4"]  # dealt from the end
place = lambda card: order.index(str(card)) if str(card) in order else -1
random.shuffle = lambda cards: cards.sort(key=place)
"""
GAME = Transcript(
    """\

Blackjack  Score 0
Dealer
[ xx ]  [ CK ]
Player 13
[ D4 ]  [ H9 ]
Hit or stand?

Deal, Hit, Stand, Quit? >> «h»

Blackjack  Score 0
Dealer
[ xx ]  [ CK ]
Player 20
[ D4 ]  [ H9 ]  [ H7 ]
Hit or stand?

Deal, Hit, Stand, Quit? >> «Stand»

Blackjack  Score 1
Dealer 19
[ S3 ]  [ CK ]  [ D6 ]
Player 20
[ D4 ]  [ H9 ]  [ H7 ]
You win! New deal?

Deal, Hit, Stand, Quit? >> «s»

Blackjack  Score 1
Dealer 19
[ S3 ]  [ CK ]  [ D6 ]
Player 20
[ D4 ]  [ H9 ]  [ H7 ]
You win! New deal?

Deal, Hit, Stand, Quit? >> «d»

Blackjack  Score 1
Dealer
[ xx ]  [ CK ]
Player 13
[ D4 ]  [ H9 ]
Hit or stand?

Deal, Hit, Stand, Quit? >> «D»

Blackjack  Score 0
Dealer
[ xx ]  [ CK ]
Player 13
[ D4 ]  [ H9 ]
You lost the round by dealing. Hit or stand?

Deal, Hit, Stand, Quit? >> «help»

Blackjack  Score 0
Dealer
[ xx ]  [ CK ]
Player 20
[ D4 ]  [ H9 ]  [ H7 ]
You lost the round by dealing. Hit or stand?

Deal, Hit, Stand, Quit? >> «»
Press one of D, H, S, Q.
Deal, Hit, Stand, Quit? >> «x»
Press one of D, H, S, Q.
Deal, Hit, Stand, Quit? >> «h»

Blackjack  Score -1
Dealer 13
[ S3 ]  [ CK ]
Player 26
[ D4 ]  [ H9 ]  [ H7 ]  [ D6 ]
You have busted. Dealer wins. New deal?

Deal, Hit, Stand, Quit? >> «s»

Blackjack  Score -1
Dealer 13
[ S3 ]  [ CK ]
Player 26
[ D4 ]  [ H9 ]  [ H7 ]  [ D6 ]
You have busted already. New deal?

Deal, Hit, Stand, Quit? >> «q»

Thank you for playing. Goodbye...
"""
)
"""Written by hand: every deal has the same cards on top."""


def arranged(how: str) -> list[str]:
    run = {
        "file": f"sys.path.insert(0, {str(FOLDER)!r});"
        f"runpy.run_path({str(FOLDER / 'blackjack.py')!r}, run_name='__main__')",
        "module": f"sys.path.insert(0, {str(ROOT)!r});"
        "runpy.run_module('cardgames.assignments.blackjack.blackjack', run_name='__main__')",
    }
    return [sys.executable, "-W", "error", "-c", ARRANGED + run[how]]


@pytest.mark.parametrize("how", ["file", "module"])
def test_a_session_with_piped_input(how: str, tmp_path: Path) -> None:
    """S1-4, S1-21, S1-25, S1-28, S1-33, S1-34, S1-35, S1-43: the first hand is dealt at once."""
    assert piped(arranged(how), tmp_path, GAME.stdin) == GAME.piped


@pytest.mark.parametrize("how", ["file", "module"])
def test_a_session_in_a_terminal(how: str, tmp_path: Path) -> None:
    """S1-25, S1-28, S1-30, S1-34, S1-43: the same keys at a real terminal."""
    assert in_terminal(arranged(how), tmp_path, GAME.answers) == GAME.shown


def test_the_program_writes_the_picture_it_is_asked_for(tmp_path: Path) -> None:
    """S1-30, S1-43: anew after each key; a place that cannot be written to is no traceback."""
    arguments, folder = command("blackjack", "blackjack", "file")
    picture = tmp_path / "table.svg"
    shown = piped([*arguments, str(picture)], folder, "s\n")
    assert "New deal?" in picture.read_text()
    assert "Cannot write" not in shown
    shown = piped([*arguments, str(tmp_path / "no" / "table.svg")], folder, "q\n")
    assert f"\nCannot write to {tmp_path}/no/table.svg.\n" in shown
    assert sorted(path.name for path in tmp_path.iterdir()) == ["table.svg"]


@pytest.mark.parametrize("how", ["file", "module"])
def test_the_end_of_the_input_ends_politely(how: str) -> None:
    """S1-25: with the goodbye and without a traceback."""
    assert piped(*command("blackjack", "blackjack", how), "").endswith(PROMPT + GOODBYE)
    assert piped(*command("blackjack", "blackjack", how), "d\nh").endswith(PROMPT + GOODBYE)


@pytest.mark.parametrize("key", [EOF, INTERRUPT], ids=["ctrl-d", "ctrl-c"])
def test_keys_that_end_the_program(key: str) -> None:
    """S1-34: at a real terminal."""
    shown = in_terminal(*command("blackjack", "blackjack", "file"), [(PROMPT, key)])
    assert shown.endswith("\nThank you for playing. Goodbye...\n")


# Against the web table, and against published numbers


def test_the_mini_project_and_the_web_table_agree(
    game: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    """S1-2, S1-6, S1-7, S1-8, S1-9, S1-32, S1-33, S1-35, S1-36, S1-37: over 500 sessions."""
    table = GAMES["blackjack"]
    forfeits = 0

    def web_codes(hand: tuple[Any, ...]) -> str:
        return " ".join(card.suit + card.rank for card in hand)

    for seed in range(500):
        player = random.Random(seed)
        luck = Luck(seed, code=lambda card: card.get_rank() + card.get_suit(), top=-1)
        monkeypatch.setattr(random, "shuffle", luck.shuffle)
        state, rng = table.start(), Luck(seed)
        monkeypatch.setattr(game, "score", 0)
        monkeypatch.setattr(game, "in_play", False)
        move = "deal"
        for _ in range(30):
            forfeits += move == "deal" and state.phase is Phase.PLAYING
            state = table.play(state, move, {}, rng)
            {"deal": game.deal, "hit": game.hit, "stay": game.stand}[move]()
            assert codes(game.player) == web_codes(state.player)
            assert codes(game.dealer) == web_codes(state.dealer)
            assert game.in_play is (state.phase is Phase.PLAYING)
            assert game.score == state.tally.player - state.tally.dealer
            assert game.player.get_value() == table.view(state).player.total
            cells = [i.shows(source, size) for i, source, size, _, _ in drawn(game).images]
            assert cells.count("") == table.view(state).dealer.cards.count(None)
            if state.winner is Winner.PLAYER:
                assert "You win!" in game.outcome
            move = player.choices(["hit", "stay", "deal"], [5, 5, 1])[0] if game.in_play else "deal"
        assert rng.count == luck.count
    assert forfeits > 300


PUBLISHED = {
    17: 0.14583,
    18: 0.138063,
    19: 0.13482,
    20: 0.175806,
    21: 0.0736296 + 0.0482655,
    22: 0.283585,
}
"""One deck, the dealer stands on soft 17 (Wizard of Odds, appendix 2B); 22 stands for bust."""


def test_how_the_dealer_ends(game: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    """S1-6, S1-7, S1-38: as published, over 4,000 rounds where the player stands at once."""
    rounds = 4000
    monkeypatch.setattr(random, "shuffle", random.Random(17).shuffle)
    ends = dict.fromkeys(PUBLISHED, 0)
    for _ in range(rounds):
        game.deal()
        game.stand()
        ends[min(game.dealer.get_value(), 22)] += 1
    assert sum(PUBLISHED.values()) == pytest.approx(1, abs=1e-5)
    for end, probability in PUBLISHED.items():
        deviation = (probability * (1 - probability) / rounds) ** 0.5
        assert abs(ends[end] / rounds - probability) < 4 * deviation, end


def test_the_deck_is_the_projects_deck(game: ModuleType) -> None:
    """S1-1, S1-14: the same 52 cards, though the mini-project says the suit first."""
    cards = {f"{card.get_rank()}{card.get_suit()}" for card in game.Deck().cards}
    assert cards == {str(card) for card in FULL_DECK}
