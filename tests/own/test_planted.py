"""A mistake that is planted in our solutions is found at the first move that shows it.

What is expected are the sheet's numbers, and the line into which the mistake was put.
"""

import random
import sys
import time
from collections.abc import Callable
from itertools import count
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NamedTuple

import pytest

from browser.isolation import LOOKS_EVERY, MOST_AT_A_LOOK, TimeIsUp, time_limit
from browser.table import OwnTable, driver_of
from course.grading.sheets import SHEETS
from tests.course.support import SOLUTIONS, copy_of
from tests.course.test_fairness import VARIANTS
from tests.support.amounts import slow_but

MAX_MOVES = 40
MANY_MOVES = 200


class Planted(NamedTuple):
    """A text of our solution that is replaced, and what must be said of it."""

    slug: str
    file: str
    old: str
    new: str
    rule: str
    line: str = ""
    """Part of the line to which it must lead; by default the new text."""


PLANTED = (
    Planted("simple-21", "playingCards.py", "return VALUES[self.__rank]", 'return 11 if self.__rank == "A" else VALUES[self.__rank]', "S0-6"),
    Planted("simple-21", "playingCards.py", "return VALUES[self.__rank]", "return RANKS.index(self.__rank) + 1", "S0-5"),
    Planted("simple-21", "simple21.py", "        hidden.turnOver()\n", "", "S0-52", "self.__nextCard()"),
    Planted("simple-21", "simple21.py", "elif player < dealer:", "elif player <= dealer:", "S0-15", "Dealer wins"),
    Planted("simple-21", "simple21.py", "self.__dealer.getHandValue() < DEALER_STANDS", "self.__dealer.getHandValue() < 16", "S0-56", "return bust"),
    Planted("simple-21", "simple21.py", "self.__player.addToHand(self.__nextCard())\n        self.__dealer.addToHand(self.__nextCard())\n", "self.__dealer.addToHand(self.__nextCard())\n        self.__player.addToHand(self.__nextCard())\n", "S0-52", "self.__dealer.addToHand(self.__nextCard())"),
    Planted("simple-21", "simple21.py", "self.__value += card.getValue()", "self.__value = card.getValue()", "S0-8"),
    Planted("simple-21", "simple21.py", "return self.__player.getHandValue() > TARGET", "return self.__player.getHandValue() >= TARGET", "S0-54"),
    Planted("simple-21", "simple21.py", "return self.__player.getHandValue() == TARGET", "return self.__player.getHandValue() >= 20", "S0-60"),
    Planted("simple-21", "simple21.py", "        self.__dealer.revealAllCards()\n        print(self)", "        print(self)", "S0-55"),
    Planted("simple-21", "playingCards.py", "            raise EmptyDeckException\n        card = self.__cards.dequeue()\n        card.turnOver()\n", "            raise EmptyDeckException\n        card = self.__cards.dequeue()\n", "S0-36", "return card"),
    Planted("simple-21", "playingCards.py", "            if card.isFaceUp():\n                card.turnOver()\n            self", "            self", "S0-39", "for card in cards:"),
    Planted("bingo", "bingo.py", "self.__gridA.populate(cards[0::2], mode)", "self.__gridA.populate(cards[:25], mode)", "S4-43", "self.__gridA.populate("),
    Planted("bingo", "bingo.py", "if mine.getRank() == card.getRank() if rankOnly else mine == card:", "if mine.getRank() == card.getRank():", "S4-27", "mine.turnOver()"),
    Planted("bingo", "bingo.py", "if card.isFaceUp() == (place == CENTRE):", "if not card.isFaceUp():", "S4-25", "self.__playMode = playMode"),
    Planted("bingo", "bingo.py", "any(pattern <= faceDown for pattern in PATTERNS[self.__playMode])", "any(pattern < faceDown for pattern in PATTERNS[self.__playMode][:5])", "S4-30", "any(pattern"),
    Planted("bingo", "bingo.py", "return A_WON if self.__gridA.isBingo() else B_WON", "return B_WON if self.__gridA.isBingo() else A_WON", "S4-50"),
    Planted("bingo", "bingo.py", "self.__gridB.search(card, rankOnly)", "self.__gridA.search(card, rankOnly)", "S4-28", "search(card, rankOnly)"),
    Planted("one-deck", "proj09.py", "while worth(hand) < 17:", "while worth(hand) < 16:", "S2-9"),
    Planted("one-deck", "proj09.py", '        print("The dealer hits.")\n', '        print("The dealer hits.")\n        deck.deal()\n', "S2-9", "while worth(hand) < 17:"),
    Planted("one-deck", "proj09.py", "{dealer[0]} X", "{dealer[0]} {dealer[1]}", "S2-5"),
    Planted("one-deck", "proj09.py", "has_ace and total + 10 <= 21 else", "has_ace else", "S2-30"),
    Planted("one-deck", "proj09.py", "worth(user) > worth(dealer):", "worth(user) >= worth(dealer):", "S2-13", "You win the round."),
    Planted("one-deck", "proj09.py", 'print("The dealer wins the round.")', 'print("You win the round!")', "S2-13"),
    Planted("blackjack", "blackjack.py", 'if "A" in ranks and value + 10 <= 21 else', 'if "A" in ranks else', "S1-19"),
    Planted("blackjack", "blackjack.py", "canvas.draw_image(card_back, CARD_BACK_CENTER, CARD_BACK_SIZE, hole, CARD_BACK_SIZE)", "dealer.draw(canvas, DEALER_POS)", "S1-30"),
    Planted("blackjack", "blackjack.py", "while dealer.get_value() < DEALER_STANDS:", "while dealer.get_value() <= DEALER_STANDS:", "S1-22"),
    Planted("blackjack", "blackjack.py", "mine > theirs", "mine >= theirs", "S1-24"),
    Planted("blackjack", "blackjack.py", "score += 1 if _player_wins() else -1", "score += 1", "S1-31"),
    Planted("blackjack", "blackjack.py", "        if player.get_value() > TARGET:", "        if player.get_value() >= TARGET:", "S1-20"),
    Planted("blackjack", "blackjack.py", "    if in_play:\n        player.add_card(", "    if dealer:\n        player.add_card(", "S1-36", "player.add_card("),
    Planted("blackjack", "blackjack.py", "return self.cards.pop()", "return self.cards[-1]", "S1-39"),
    Planted("war", "war.py", "return self.cards.pop(0)", "return self.cards.pop()", "S3-13"),
    Planted("war", "war.py", "return self.rank > other.rank", "return self.rank >= other.rank", "S3-8"),
    Planted("war", "war.py", "return bool(self.rank == other.rank)", "return bool(self.suit == other.suit)", "S3-8"),
    Planted("war", "war.py", "pile = shown + pile", "pile = shown", "S3-28", "winner.receive_cards(pile)"),
    Planted("war", "war.py", "winner.receive_cards(pile)", "self.players[0].receive_cards(pile)", "S3-28"),
    Planted("war", "war.py", "self.players[: self.deck.num_cards]:", "self.players[::-1]:", "S3-22", "player.receive_card(self.deck.give_card())"),
)  # fmt: skip


def table_of(slug: str, folder: Path, seed: int) -> OwnTable[Any]:
    return driver_of(SHEETS[slug])(SHEETS[slug], folder, seed)


def play_until_found(
    slug: str, folder: Path, seed: int, moves: int = MAX_MOVES
) -> tuple[OwnTable[Any], int]:
    """Make moves until there is a difference, or enough of them; return how many, too."""
    table: OwnTable[Any] = table_of(slug, folder, seed)
    choose = random.Random(seed).choice
    made = 0
    while made < moves and not table.difference and not table.broken:
        names = [name for name, _ in table.moves() if name != "stop"]
        most = 1 if moves > MAX_MOVES else 50
        names = [name for name in names if int(name.partition("*")[2] or 1) <= most]
        if not names:
            break
        table.play(choose(names))
        made += 1
    return table, made


@pytest.fixture(autouse=True)
def no_sheet_is_loaded(monkeypatch: pytest.MonkeyPatch) -> None:
    """Take away what other tests have loaded of the sheets: in a browser nothing is."""
    sheets = str(Path(__file__).parents[2] / "course" / "sheets")
    for name, module in list(sys.modules.items()):
        if "." not in name and (getattr(module, "__file__", None) or "").startswith(sheets):
            monkeypatch.delitem(sys.modules, name)
    monkeypatch.setattr(sys, "path", [path for path in sys.path if not path.startswith(sheets)])


SOON = {
    "S0-6",
    "S0-15",
    "S0-52",
    "S1-20",
    "S1-31",
    "S2-5",
    "S2-9",
    "S3-8",
    "S3-28",
    "S4-25",
    "S4-30",
}
"""What comes to light after few moves, of each sheet."""


@pytest.mark.parametrize(
    "planted",
    [
        pytest.param(
            each,
            id=f"{each.rule} {each.new[:40]!r}",
            marks=() if each.rule in SOON else pytest.mark.slow,
        )
        for each in PLANTED
    ],
)
def test_a_planted_mistake_is_found_with_its_rule_and_its_line(
    planted: Planted, tmp_path: Path
) -> None:
    folder = copy_of(SHEETS[planted.slug], tmp_path / "files")
    path = folder / planted.file
    source = path.read_text()
    assert source.count(planted.old) == 1
    path.write_text(source.replace(planted.old, planted.new))
    for seed in range(12):
        table, _ = play_until_found(planted.slug, folder, seed)
        assert not table.broken
        if table.difference:
            break
    found = table.difference
    assert found is not None
    assert found.rule == planted.rule, found
    assert table.place is not None
    file, number = table.place
    line = (folder / file).read_text().split("\n")[number - 1]
    wanted = planted.line or planted.new
    assert wanted in line or line.strip() in wanted, (file, number, line)


BROKEN = (
    ("playingCards.py", "", "", "there is no playingCards.py among the files", False),
    ("simple21.py", "class Table:", "class Felt:", "there is no class Table in the files", False),
    ("simple21.py", "def playerHit(", "def hit(", "object has no attribute 'playerHit'", False),
    ("simple21.py", "def playerHit(self) -> bool:", "def playerHit(self)", "SyntaxError", True),
    ("simple21.py", "(self.__nextCard())", "(self.__next())", "no attribute '_Table__next'", True),
)
"""A file, what is replaced in it or the whole of it, what is said, and whether a line is named."""


@pytest.mark.parametrize(("file", "old", "new", "why", "has_line"), BROKEN)
def test_what_breaks_is_named_by_lines_of_the_student_alone(
    file: str, old: str, new: str, why: str, *, has_line: bool, tmp_path: Path
) -> None:
    """The drivers have files of the same names: no line of these is meant."""
    folder = copy_of(SHEETS["simple-21"], tmp_path / "files")
    path = folder / file
    source = path.read_text()
    path.write_text(source.replace(old, new, 1))
    if not old:
        path.unlink()
    table, _ = play_until_found("simple-21", folder, 1)
    assert why in table.broken
    number = 1 + source[: source.index(old)].count("\n")
    place = (file, number) if has_line else None
    assert table.report()["place"] == place
    assert ("line" in table.broken) == has_line


FOLDERS = [
    (slug, folder)
    for slug in SHEETS
    for folder in (
        SHEETS[slug].solution,
        *sorted({path.parent for path in (SOLUTIONS / slug).glob("*/*.py")}),
    )
]


@pytest.mark.parametrize("slug", slow_but(SHEETS, *{*SHEETS} - {"war"}))
def test_our_solution_is_not_blamed(slug: str) -> None:
    """In some moves; in many more among the slow tests."""
    table, _ = play_until_found(slug, SHEETS[slug].solution, 7, 10)
    assert (table.difference, table.broken) == (None, "")


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name, each in VARIANTS.items() if not each.loses])
def test_an_oddity_that_costs_nothing_is_not_blamed(name: str, tmp_path: Path) -> None:
    """The programs that the grader's own tests have written as students write them."""
    folder = VARIANTS[name].write(tmp_path / "files")
    table, _ = play_until_found(VARIANTS[name].slug, folder, 7)
    assert (table.difference, table.broken) == (None, "")


@pytest.mark.slow
@pytest.mark.parametrize(("slug", "folder"), FOLDERS, ids=lambda each: getattr(each, "name", each))
def test_a_right_program_is_not_blamed_in_many_moves(slug: str, folder: Path) -> None:
    made = 0
    for seed in range(MANY_MOVES):
        if made >= MANY_MOVES:
            break
        table, moves = play_until_found(slug, folder, seed, MANY_MOVES - made)
        made += moves
        assert (table.difference, table.broken) == (None, "")


FACES = "TJQK"


@pytest.mark.parametrize("slug", ["simple-21", "blackjack", "one-deck"])
def test_the_coach_counts_the_cards_that_the_students_table_does_not_show(slug: str) -> None:
    """The chance that a card busts the hand is the share of those cards among the unseen."""
    open_decisions = 0
    for seed in range(4):
        table: OwnTable[Any] = table_of(slug, SHEETS[slug].solution, seed)
        table.play(table.moves()[0][0])
        for name in ("", "hit"):
            if name:
                table.play(name)
            odds = table.odds()
            assert (odds is not None) == table.report()["coached"]
            if odds is None:
                continue
            open_decisions += 1
            view = table.shown().view
            hand = view.player.cards
            points = [1 if c[0] == "A" else 10 if c[0] in FACES else int(c[0]) for c in hand]
            unseen = [r for r in "A23456789" + FACES for _ in "CDHS"]
            for card in (*hand, view.upcard):
                unseen.remove(card[0])
            hard = sum(points)  # an ace of eleven becomes one before it busts a hand
            bad = sum(hard + (1 if r == "A" else 10 if r in FACES else int(r)) > 21 for r in unseen)
            assert odds.bust == pytest.approx(bad / len(unseen)), (slug, seed, hand)
    assert open_decisions > 4


@pytest.mark.slow
def test_a_game_of_war_is_played_to_its_end() -> None:
    table: OwnTable[Any] = table_of("war", SHEETS["war"].solution, 7)
    table.play("deal")
    made: list[int] = []
    table.play("turn*5000", made.append)
    assert (table.difference, table.broken) == (None, "")
    assert [name for name, _ in table.moves()] == ["deal"], "one player has no card left"
    assert made == [*range(len(made))]


class Monitoring:
    """Stands in for ``sys.monitoring``, which Python has from 3.12 on: a test makes the events."""

    PROFILER_ID = 2
    events = SimpleNamespace(JUMP=1, PY_START=2)

    def __init__(self) -> None:
        self.look: Callable[[], object] = lambda: None

    def use_tool_id(self, *_: object) -> None: ...
    def set_events(self, *_: object) -> None: ...
    def free_tool_id(self, *_: object) -> None: ...
    def register_callback(self, _tool: int, _event: int, look: Callable[[], object]) -> None:
        self.look = look


def test_a_program_is_ended_by_its_own_time_and_not_by_that_of_others(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """An hour passes from look to look, and each counts as little as if nothing had."""
    python = Monitoring()
    monkeypatch.setattr(sys, "monitoring", python, raising=False)
    monkeypatch.setattr(time, "monotonic", count(0.0, 3600.0).__next__)
    with time_limit(9.5 * MOST_AT_A_LOOK, lambda: "its place") as late:
        for _ in range(10 * LOOKS_EVERY - 1):
            python.look()
        assert late == []
        with pytest.raises(TimeIsUp):
            python.look()
    assert late == ["its place"]
