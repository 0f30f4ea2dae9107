"""Simple 21: the classes Player and Table."""

import re
from typing import NamedTuple

from course.grading.answers import RemoteObject
from course.grading.checks import check
from course.grading.checks.tools import (
    CODES,
    CODES_ON_TABLE,
    Step,
    arranged,
    attributes,
    check_private,
    examples,
    has,
    interface,
    loading,
    own_tests,
    refuse,
)
from course.grading.checks.words import plain
from course.grading.trial import KIT, Trial

FILE = "simple21.py"
HIDDEN = "xx"
HANDS = "9S 2H TC 4D"
MODULES = loading("playingCards", "simple21")


def a_player(cards: str = "") -> list[Step]:
    """Return code that creates ``player`` with these cards.

    A card such as ``(4D)`` is face down.
    """
    steps: list[Step] = ["player = Player()"]
    for place, code in enumerate(cards.split()):
        card = f"card{place} = Card({code.strip('()')!r}, {not code.startswith('(')})"
        steps.append(f"{card}; player.addToHand(card{place})")
    return steps


def reads_as(form: str) -> Step:
    """Return a step that fails unless the player's string is the given text.

    Spaces are ignored.
    """

    def check(trial: Trial) -> None:
        expected = trial.look(f"{form!r}.format_map(globals())")
        text = trial.value("str(player)")
        matches = "".join(text.split()) == "".join(expected.split())
        trial.expect(matches, expected, text)
        if text != expected:
            trial.accept("blanks in the text of a hand differ")

    return check


def reads_as_empty(trial: Trial) -> None:
    """Fail unless the player's string is that of an empty hand."""
    text = plain(trial.value("str(player)"))
    wanted = "an empty hand as hand:, value = 0"
    trial.expect(text.startswith("hand:") and text.endswith("value = 0"), wanted, text)
    if text != "hand:, value = 0":
        trial.accept("an empty hand reads otherwise than hand:, value = 0 (A0-12)")


def shows_12(trial: Trial) -> None:
    """Fail unless the player's string contains the value 12."""
    text = trial.value("str(player)")
    numbers = re.findall(r"\d+", re.sub(r"\[.*?\]", "", text))
    trial.expect(numbers == ["12"], "the value 12 of 3H and 9S", text)


EXAMPLES = examples(
    MODULES,
    {
        "S0-8": [*a_player("3H 9S"), shows_12],
        "S0-42": interface(FILE, "Player"),
        "S0-43": [*a_player(), lambda trial: has(trial, check_private(trial, "player", 2), [], 0)],
        "S0-44": [
            *a_player("9S"),
            {"player.addToHand(Card('4D', True))": None, "player.getHandValue() - 0": 13},
            refuse(f"player.addToHand({thing})" for thing in ("'KS'", "None", "10")),
        ],
        "S0-45": [
            *a_player("9S 4D"),
            "removed = player.clearHand()",
            {
                "type(removed)": list,
                "len(removed) == 2 and card0 in removed and card1 in removed or removed": True,
                "player.getHandValue() - 0": 0,
                "player.clearHand()": [],
            },
            "player.addToHand(Card('5C', True))",
            {"len(removed)": 2},
        ],
        "S0-46": [*a_player("9S 4D"), {"player.getHandValue()": 13}],
        # only face-down cards are turned over
        "S0-47": [
            *a_player("9S (4D) (5C)"),
            {
                "player.revealAllCards()": None,
                "[bool(card.isFaceUp()) for card in (card0, card1, card2)]": [True] * 3,
                "player.getHandValue() - 0": 18,
            },
        ],
        # the value is shown only if no card is hidden
        "S0-48": [
            *[*a_player("9S 4D"), reads_as("hand:{card0}{card1}, value = 13"), MODULES],
            *[*a_player("9S (4D)"), reads_as("hand:{card0}{card1}"), MODULES],
            *[*a_player(), reads_as_empty],
        ],
        "S0-50": interface(FILE, "Table"),
    },
)
EXAMPLES["S0-49"] = own_tests(FILE, "Player", CODES)


def a_table(trial: Trial, codes: str = "") -> None:
    """Create ``table`` with a deck that has these cards on top."""
    MODULES(trial)
    trial.file("deck.txt", arranged(*codes.split()))
    trial.do("table = Table()", "deck.txt")
    trial.called[-2:] = [f"table = Table()  # on top of the deck: {codes}"]


class Seat(NamedTuple):
    """One of a table's two players: ``the_player`` or ``the_dealer`` in checks."""

    trial: Trial
    who: str

    @property
    def text(self) -> str:
        """The player's text."""
        return str(self.trial.look(f"str(the_{self.who})"))

    @property
    def cards(self) -> list[str]:
        """The codes of the cards in the printed hand of this player."""
        return re.findall(r"\[ ?(\w\w) ?\]", self.text)

    def expect(self, holds: object, wanted: str) -> None:
        """Fail unless a condition is true, and show the player's string."""
        self.trial.expect(holds, wanted, self.text)


def seats(trial: Trial) -> tuple[Seat, Seat]:
    """Identify the player and the dealer by the hidden card, or by their names."""
    players = trial.look(
        f"{{name: str(value) for name, value in {KIT}.attributes(table).items() "
        "if isinstance(value, Player)}"
    )
    trial.expect(len(players) == 2, "a table has two players", f"it has {len(players)}")
    hiding = [name for name, text in players.items() if HIDDEN in text]
    named = [name for name in players if "dealer" in name.lower()]
    dealer = (hiding if len(hiding) == 1 else named or list(players)[1:])[0]
    (player,) = players.keys() - {dealer}
    for who, attribute in (("player", player), ("dealer", dealer)):
        trial.do(f"the_{who} = {KIT}.attributes(table)[{attribute!r}]")
        trial.called.pop()
    return Seat(trial, "player"), Seat(trial, "dealer")


def dealt(trial: Trial, codes: str) -> tuple[Seat, Seat]:
    """Create a table with these cards on top, and deal.

    Return the player and the dealer.
    """
    a_table(trial, codes)
    trial.do("table.dealHands()")
    return seats(trial)


def with_hands(trial: Trial, player: str, dealer: str) -> None:
    """Create ``table``, at which both players have these cards, face up."""
    a_table(trial)
    for seat, codes in zip(seats(trial), (player, dealer), strict=True):
        for code in codes.split():
            trial.look(f"the_{seat.who}.addToHand(Card({code!r}, True))")
    trial.called.append(f"# the player holds {player}, the dealer {dealer}")


def player_hits(trial: Trial, times: int) -> None:
    """Deal these cards to the player."""
    for _ in range(times):
        trial.do("table.playerHit()")


EMPTY = (
    f"[name for name, value in {KIT}.attributes(table).items() "
    "if hasattr(value, '__len__') and len(value) == 0]"
)


@check("S0-51")
def s0_51(trial: Trial) -> None:
    """A table has two players, a deck and an empty pile."""
    a_table(trial)
    values = attributes(trial, "table")
    trial.called.append(f"the attributes of a Table: {' '.join(values)}")
    kinds = [value.kind for value in values.values() if isinstance(value, RemoteObject)]
    trial.expect(kinds.count("Player") == 2, "two players", f"{kinds.count('Player')}")
    trial.expect(kinds.count("Deck") == 1, "a deck", f"{kinds.count('Deck')}")
    trial.expect(trial.look(EMPTY), "an empty discard pile", "nothing is empty")


@check("S0-7")
def s0_7(trial: Trial) -> None:
    """The order of dealing is player, dealer, player, dealer."""
    for seat, codes in zip(dealt(trial, HANDS), (["9S", "TC"], ["2H"]), strict=True):
        face_up = [code for code in seat.cards if code != HIDDEN]
        trial.expect(face_up == codes, f"the {seat.who} shows {' '.join(codes)}", " ".join(face_up))


@check("S0-52")
def s0_52(trial: Trial) -> None:
    """Both get two cards, and only the dealer's second card is face down.

    The result is None.
    """
    a_table(trial, HANDS)
    trial.equal("table.dealHands()", None)
    if trial.seen.shown.strip():
        trial.accept("dealHands() announces the deal; ours leaves that to the program")
    player, dealer = seats(trial)
    player.expect(HIDDEN not in player.cards, "the player's cards lie face up")
    player.expect(len(player.cards) == 2, "the player has two cards")
    hidden = [code == HIDDEN for code in dealer.cards]
    dealer.expect(hidden == [False, True], "the dealer's second card lies face down")


@check("S0-53")
def s0_53(trial: Trial) -> None:
    """The deck may run out before each of the four cards."""
    for left in range(4):
        player, dealer = dealt(trial, " ".join(CODES))
        player_hits(trial, 48 - left)
        trial.called[-48 + left :] = [f"table.playerHit()  # {48 - left} times"]
        trial.do("table.clearTable()")
        text = trial.do("table.dealHands()")
        trial.expect(text.strip(), "a message that the deck is repopulated", "nothing")
        player_cards, dealer_cards = player.cards, dealer.cards
        together = sorted(card for card in player_cards + dealer_cards if card != HIDDEN)
        number = len(player_cards), len(dealer_cards)
        trial.expect(number == (2, 2), "two cards each", f"{number[0]} and {number[1]}")
        trial.expect(len(set(together)) == 3, "four different cards", " ".join(together))


@check("S0-54")
def s0_54(trial: Trial) -> None:
    """The player gets one card, face up, and busts only above 21."""
    player, _ = dealt(trial, "9S 2H 3C 4D 5S 4H 2C")
    for code, bust in (("5S", False), ("4H", False), ("2C", True)):
        trial.equal("table.playerHit()", bust)
        player.expect(player.cards[-1] == code, f"the player gets {code}")


@check("S0-55")
def s0_55(trial: Trial) -> None:
    """The dealer's second card is turned over, and the value is shown."""
    _, dealer = dealt(trial, "9S 9H 8C 9D")
    text = trial.do("table.dealerHit()")
    dealer.expect(HIDDEN not in dealer.text, "the dealer's second card lies face up")
    trial.expect("9D" in text and "18" in text, "the dealer's hand, and its value 18", text)


@check("S0-56")
def s0_56(trial: Trial) -> None:
    """The dealer draws up to 16 and stands on 17 or more. An empty deck is refilled."""
    for codes, wanted in (
        ("9S 9H 8C 7D 2S", ["9H", "7D", "2S"]),
        ("9S 9H 8C 8D 2S", ["9H", "8D"]),
        ("9S 2H 8C 3D 4S 5S 2D 3S", ["2H", "3D", "4S", "5S", "2D", "3S"]),
    ):
        _, dealer = dealt(trial, codes)
        trial.do("table.dealerHit()")
        trial.expect(dealer.cards == wanted, f"the dealer has {wanted}", dealer.cards)
    dealt(trial, " ".join(arranged("9S", "2H", "8C", "3D")))
    player_hits(trial, 48)
    trial.do("table.clearTable(); table.dealHands()")
    player_hits(trial, 48)
    trial.called.append("# the deck is empty, and all other cards are the player's")
    trial.raises("table.dealerHit()", "EmptyDeckException")


@check("S0-57")
def s0_57(trial: Trial) -> None:
    """For each card that the dealer draws, a message and the new value are shown."""
    dealt(trial, "9S 2H 8C 3D 4S 5S 4H")
    text = plain(trial.do("table.dealerHit()"))
    pieces = re.split(r"dealer must take(?: a)? card", text)
    trial.expect(len(pieces) == 4, "Dealer must take a card... three times", text)
    for value, piece in zip((9, 14, 18), pieces[1:], strict=True):
        trial.expect(str(value) in piece, f"the value {value} after it", piece)
    if "must take card" in text:
        trial.accept("Dealer must take card...: as in the sample (A0-1)")


@check("S0-58")
def s0_58(trial: Trial) -> None:
    """A bust and a total of 21 are announced, but other values are not."""
    for codes, message in (
        ("9S 9H 8C 7D 8S", "dealer went bust"),
        ("9S 9H 8C 7D 5S", "dealer has a natural 21"),
        ("9S 9H 8C 8D", ""),
    ):
        dealt(trial, codes)
        output = plain(trial.do("table.dealerHit()"))
        for text in ("dealer went bust", "dealer has a natural 21"):
            wanted = f"{text!r} {'is' if text == message else 'is not'} displayed"
            trial.expect((text in output) is (text == message), wanted, output)


@check("S0-59")
def s0_59(trial: Trial) -> None:
    """``dealerHit`` returns True if the dealer busts, and otherwise False."""
    for codes, bust in (("7D 8S", True), ("7D 5S", False), ("8D", False)):
        dealt(trial, f"9S 9H 8C {codes}")
        trial.equal("table.dealerHit()", bust)


@check("S0-60")
def s0_60(trial: Trial) -> None:
    """``playerNatural`` returns True only if the player has exactly 21."""
    for hand, natural in (("9S 8C 4D", True), ("9S 8C 3D", False), ("9S 8C 5D", False)):
        with_hands(trial, hand, "")
        trial.equal("table.playerNatural()", natural)


@check("S0-61")
def s0_61(trial: Trial) -> None:
    """The method for the winner prints one of three texts, and returns None."""
    for player, dealer, wanted in (
        ("9S 9C", "9H 8D", "player wins"),
        ("9S 8C", "9H 9D", "dealer wins"),
        ("9S 8C", "9H 8D", "tie! no one wins"),
    ):
        with_hands(trial, player, dealer)
        trial.equal("table.whoWon()", None)
        text = plain(trial.seen.shown)
        trial.expect(text.rstrip(".! ") == wanted.rstrip("!"), wanted, text)


@check("S0-77")
def s0_77(trial: Trial) -> None:
    """A bust player loses against any hand of the dealer."""
    with_hands(trial, "9S 8C 5D", "9H 2D")
    text = plain(trial.do("table.whoWon()"))
    trial.expect("dealer wins" in text, "dealer wins", text)


@check("S0-62")
def s0_62(trial: Trial) -> None:
    """Both hands are moved to the discards."""
    both = dealt(trial, HANDS)
    before = trial.probe("cards_within", "table", "Card")
    trial.equal("table.clearTable()", None)
    for seat in both:
        seat.expect(seat.cards == [], f"the {seat.who}'s hand is empty")
    after = trial.probe("cards_within", "table", "Card")
    trial.expect(len(after) == len(before), "no card is lost", f"{len(before)}, then {len(after)}")


@check("S0-63")
def s0_63(trial: Trial) -> None:
    """Both hands are shown, each with its owner."""
    both = dealt(trial, HANDS)
    text = trial.value("str(table)")
    for seat in both:
        there = seat.who in text.lower() and seat.text in text
        trial.expect(there, f"the {seat.who}'s {seat.text}", text)


@check("S0-75")
def s0_75(trial: Trial) -> None:
    """There are 52 different cards after any number of rounds."""
    a_table(trial, HANDS)
    for number in range(60):
        trial.do("table.dealHands(); table.playerHit(); table.playerHit(); table.dealerHit()")
        trial.do("table.clearTable()")
        trial.called = [*trial.called[:3], f"# {number + 1} rounds"]
        cards = trial.look(CODES_ON_TABLE)
        got = f"{len(cards)} cards, {len({*cards})} of them different"
        trial.expect(len(cards) == len({*cards}) == 52, "52 different cards", got)


@check("S0-79")
def s0_79(trial: Trial) -> None:
    """``Table`` does not catch the error of a deck file."""
    MODULES(trial)
    trial.file("bad.txt", CODES[:-1])
    trial.called.append("# bad.txt has 51 cards")
    message = "Cannot populate deck: invalid data in bad.txt"
    trial.raises("Table()", Exception, message, "bad.txt")
