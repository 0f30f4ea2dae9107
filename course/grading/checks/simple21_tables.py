"""Simple 21: the classes Player and Table."""

import re
from collections.abc import Sequence

from course.grading.checks.tools import (
    CODES,
    arranged,
    attributes,
    check_interface,
    check_private,
    check_tests,
    has,
)
from course.grading.checks.words import plain
from course.grading.trial import KIT, Failed, Thing, Trial

FILE = "simple21.py"
HIDDEN = "xx"


def a_player(trial: Trial, *cards: str) -> None:
    """Make a player, called ``player``, with these cards; a code in brackets lies face down."""
    trial.load("playingCards", "simple21")
    trial.do("player = Player()")
    for place, code in enumerate(cards):
        face = not code.startswith("(")
        trial.do(f"card{place} = Card({code.strip('()')!r}, {face}); player.addToHand(card{place})")


def a_table(trial: Trial, *codes: str) -> None:
    """Make a table, called ``table``, whose deck has these cards on top."""
    trial.load("playingCards", "simple21")
    trial.file("deck.txt", arranged(*codes))
    trial.do("table = Table()", "deck.txt")
    trial.called[-2:] = [f"table = Table()  # on top of the deck: {' '.join(codes)}"]


def seats(trial: Trial) -> tuple[str, str]:
    """Find the player and the dealer of the table, by whose card is hidden, or by their names.

    Returns:
        What they are called from here on.
    """
    players = trial.look(
        f"{{name: str(value) for name, value in {KIT}.attributes(table).items() "
        "if isinstance(value, Player)}"
    )
    trial.expect(len(players) == 2, "a table has two players", f"it has {len(players)}")
    hiding = [name for name, text in players.items() if HIDDEN in text]
    named = [name for name in players if "dealer" in name.lower()]
    dealer = (hiding if len(hiding) == 1 else named or list(players)[1:])[0]
    (player,) = players.keys() - {dealer}
    for name, attribute in (("the_player", player), ("the_dealer", dealer)):
        trial.do(f"{name} = {KIT}.attributes(table)[{attribute!r}]")
        trial.called.pop()
    return "the_player", "the_dealer"


def cards_of(trial: Trial, seat: str) -> list[str]:
    """Return the cards that a player's text shows."""
    return re.findall(r"\[ ?(\w\w) ?\]", text_of(trial, seat))


def text_of(trial: Trial, seat: str) -> str:
    """Return the text of a player."""
    return str(trial.look(f"str({seat})"))


def dealt(trial: Trial, *codes: str) -> tuple[str, str]:
    """Make a table with these cards on top, deal, and return the player and the dealer."""
    a_table(trial, *codes)
    trial.do("table.dealHands()")
    return seats(trial)


def with_hands(trial: Trial, player: Sequence[str], dealer: Sequence[str]) -> None:
    """Make a table where both hold these cards, face up."""
    a_table(trial)
    one, other = seats(trial)
    for seat, codes in ((one, player), (other, dealer)):
        for code in codes:
            trial.look(f"{seat}.addToHand(Card({code!r}, True))")
    trial.called.append(f"# the player holds {' '.join(player)}, the dealer {' '.join(dealer)}")


def s0_8(trial: Trial) -> None:
    """The value shown is the sum."""
    a_player(trial, "3H", "9S")
    text = trial.value("str(player)")
    numbers = re.findall(r"\d+", re.sub(r"\[.*?\]", "", text))
    trial.expect(numbers == ["12"], "the value 12 of 3H and 9S", text)


def s0_42(trial: Trial) -> None:
    """The public names of Player are the sheet's."""
    trial.load("playingCards", "simple21")
    check_interface(trial, FILE, "Player")


def s0_43(trial: Trial) -> None:
    """Two private attributes: an empty list and 0."""
    a_player(trial)
    has(trial, check_private(trial, "player", 2), [], 0)


def s0_44(trial: Trial) -> None:
    """Only cards are added; nothing is returned."""
    a_player(trial, "9S")
    trial.equal("player.addToHand(Card('4D', True))", None)
    trial.equal("player.getHandValue() - 0", 13)
    for thing in ("'KS'", "None", "10"):
        trial.raises(f"player.addToHand({thing})", AssertionError)


def s0_45(trial: Trial) -> None:
    """The cards removed are returned, and the hand is empty."""
    a_player(trial, "9S", "4D")
    trial.do("removed = player.clearHand()")
    trial.equal("type(removed)", list)
    trial.equal("removed == [card0, card1] or removed", expected=True)
    trial.equal("player.getHandValue() - 0", 0)
    trial.equal("player.clearHand()", [])
    trial.do("player.addToHand(Card('5C', True))")
    trial.equal("len(removed)", 2)


def s0_46(trial: Trial) -> None:
    """An integer."""
    a_player(trial, "9S", "4D")
    trial.equal("player.getHandValue()", 13)


def s0_47(trial: Trial) -> None:
    """Only what lies face down is turned."""
    a_player(trial, "9S", "(4D)", "(5C)")
    trial.equal("player.revealAllCards()", None)
    trial.equal("[bool(card.isFaceUp()) for card in (card0, card1, card2)]", [True] * 3)
    trial.equal("player.getHandValue() - 0", 18)


def s0_48(trial: Trial) -> None:
    """The cards, and the value only while none is hidden."""
    a_player(trial, "9S", "4D")
    reads_as(trial, "hand:{card0}{card1}, value = 13")
    a_player(trial, "9S", "(4D)")
    reads_as(trial, "hand:{card0}{card1}")
    a_player(trial)
    text = plain(trial.value("str(player)"))
    wanted = "an empty hand as hand:, value = 0"
    trial.expect(text.startswith("hand:") and text.endswith("value = 0"), wanted, text)
    if text != "hand:, value = 0":
        trial.accept("an empty hand reads otherwise than hand:, value = 0 (A0-12)")


def reads_as(trial: Trial, form: str) -> None:
    """Fail unless the player's text is this, but for blanks."""
    expected = trial.look(f"{form!r}.format_map(globals())")
    text = trial.value("str(player)")
    matches = "".join(text.split()) == "".join(expected.split())
    trial.expect(matches, expected, text)
    if text != expected:
        trial.accept("blanks in the text of a hand differ")


def s0_49(trial: Trial) -> None:
    """The file tests Player when it is run."""
    trial.file("deck.txt", CODES)
    check_tests(trial, FILE, "Player", *["deck.txt"] * 20)


def s0_50(trial: Trial) -> None:
    """The public names of Table are the sheet's."""
    trial.load("playingCards", "simple21")
    check_interface(trial, FILE, "Table")


EMPTY = (
    f"[name for name, value in {KIT}.attributes(table).items() "
    "if hasattr(value, '__len__') and len(value) == 0]"
)


def s0_51(trial: Trial) -> None:
    """Two players, a deck, an empty pile."""
    a_table(trial)
    kept = attributes(trial, "table")
    trial.called.append(f"the attributes of a Table: {' '.join(kept)}")
    kinds = [value.kind for value in kept.values() if isinstance(value, Thing)]
    two = kinds.count("Player") == 2
    trial.expect(two, "two players", f"{kinds.count('Player')}")
    trial.expect(kinds.count("Deck") == 1, "a deck", f"{kinds.count('Deck')}")
    empty = trial.look(EMPTY)
    trial.expect(empty, "an empty discard pile", "nothing is empty")


def s0_7(trial: Trial) -> None:
    """Player, dealer, player, dealer."""
    player, dealer = dealt(trial, *["9S", "2H", "TC", "4D"])
    for who, seat, codes in (("player", player, ["9S", "TC"]), ("dealer", dealer, ["2H"])):
        shown = [code for code in cards_of(trial, seat) if code != HIDDEN]
        trial.expect(shown == codes, f"the {who} shows {' '.join(codes)}", " ".join(shown))


def s0_52(trial: Trial) -> None:
    """Two cards each, of which only the dealer's second lies face down; None."""
    a_table(trial, *["9S", "2H", "TC", "4D"])
    trial.equal("table.dealHands()", None)
    if trial.seen.shown.strip():
        trial.accept("dealHands() announces the deal; ours leaves that to the program")
    player, dealer = seats(trial)
    trial.expect(
        HIDDEN not in cards_of(trial, player),
        "the player's cards lie face up",
        text_of(trial, player),
    )
    trial.expect(
        len(cards_of(trial, player)) == 2, "the player has two cards", text_of(trial, player)
    )
    hidden = [code == HIDDEN for code in cards_of(trial, dealer)]
    trial.expect(
        hidden == [False, True], "the dealer's second card lies face down", text_of(trial, dealer)
    )


def s0_53(trial: Trial) -> None:
    """The deck runs out at each of the four cards."""
    for left in range(4):
        player, dealer = dealt(trial, *CODES)
        for _ in range(48 - left):
            trial.do("table.playerHit()")
        trial.called[-48 + left :] = [f"table.playerHit()  # {48 - left} times"]
        trial.do("table.clearTable()")
        shown = trial.do("table.dealHands()")
        trial.expect(shown.strip(), "a message that the deck is repopulated", "nothing")
        together = sorted(
            card for card in cards_of(trial, player) + cards_of(trial, dealer) if card != HIDDEN
        )
        number = len(cards_of(trial, player)), len(cards_of(trial, dealer))
        trial.expect(number == (2, 2), "two cards each", f"{number[0]} and {number[1]}")
        trial.expect(len(set(together)) == 3, "four different cards", " ".join(together))


def s0_54(trial: Trial) -> None:
    """One card, face up; bust only over 21."""
    player, _ = dealt(trial, *["9S", "2H", "3C", "4D", "5S", "4H", "2C"])
    for code, bust in (("5S", False), ("4H", False), ("2C", True)):
        trial.equal("table.playerHit()", bust)
        trial.expect(
            cards_of(trial, player)[-1] == code, f"the player gets {code}", text_of(trial, player)
        )


def s0_55(trial: Trial) -> None:
    """The second card is turned, and the value shown."""
    _, dealer = dealt(trial, *["9S", "9H", "8C", "9D"])
    shown = trial.do("table.dealerHit()")
    trial.expect(
        HIDDEN not in text_of(trial, dealer),
        "the dealer's second card lies face up",
        text_of(trial, dealer),
    )
    trial.expect("9D" in shown and "18" in shown, "the dealer's hand, and its value 18", shown)


def s0_56(trial: Trial) -> None:
    """Draws at 16 and less, stands at 17 and more; repopulates."""
    for codes, wanted in (
        ("9S 9H 8C 7D 2S", ["9H", "7D", "2S"]),
        ("9S 9H 8C 8D 2S", ["9H", "8D"]),
        ("9S 2H 8C 3D 4S 5S 2D 3S", ["2H", "3D", "4S", "5S", "2D", "3S"]),
    ):
        _, dealer = dealt(trial, *codes.split())
        trial.do("table.dealerHit()")
        trial.expect(
            cards_of(trial, dealer) == wanted, f"the dealer has {wanted}", cards_of(trial, dealer)
        )
    _, dealer = dealt(trial, *arranged("9S", "2H", "8C", "3D"))
    for _ in range(48):
        trial.do("table.playerHit()")
    trial.do("table.clearTable(); table.dealHands()")
    for _ in range(48):
        trial.do("table.playerHit()")
    trial.called.append("# the deck is empty, and all other cards are the player's")
    trial.raises("table.dealerHit()", "EmptyDeckException")


def s0_57(trial: Trial) -> None:
    """A message and the new value for each card drawn."""
    dealt(trial, *["9S", "2H", "8C", "3D", "4S", "5S", "4H"])
    shown = plain(trial.do("table.dealerHit()"))
    pieces = re.split(r"dealer must take(?: a)? card", shown)
    trial.expect(len(pieces) == 4, "Dealer must take a card... three times", shown)
    for value, piece in zip((9, 14, 18), pieces[1:], strict=True):
        trial.expect(str(value) in piece, f"the value {value} after it", piece)
    if "must take card" in shown:
        trial.accept("Dealer must take card...: as in the sample (A0-1)")


def s0_58(trial: Trial) -> None:
    """Bust and 21 are announced, other values are not."""
    for codes, wanted_text in (
        ("9S 9H 8C 7D 8S", "dealer went bust"),
        ("9S 9H 8C 7D 5S", "dealer has a natural 21"),
        ("9S 9H 8C 8D", ""),
    ):
        dealt(trial, *codes.split())
        shown = plain(trial.do("table.dealerHit()"))
        for text in ("dealer went bust", "dealer has a natural 21"):
            wanted = f"{text!r} {'is' if text == wanted_text else 'is not'} displayed"
            trial.expect((text in shown) is (text == wanted_text), wanted, shown)


def s0_59(trial: Trial) -> None:
    """True for a bust dealer, else False."""
    for codes, bust in (
        ("9S 9H 8C 7D 8S", True),
        ("9S 9H 8C 7D 5S", False),
        ("9S 9H 8C 8D", False),
    ):
        dealt(trial, *codes.split())
        trial.equal("table.dealerHit()", bust)


def s0_60(trial: Trial) -> None:
    """Exactly 21."""
    for hand, natural in (("9S 8C 4D", True), ("9S 8C 3D", False), ("9S 8C 5D", False)):
        with_hands(trial, hand.split(), [])
        trial.equal("table.playerNatural()", natural)


def s0_61(trial: Trial) -> None:
    """Three texts, and None."""
    for player, dealer, wanted_text in (
        ("9S 9C", "9H 8D", "player wins"),
        ("9S 8C", "9H 9D", "dealer wins"),
        ("9S 8C", "9H 8D", "tie! no one wins"),
    ):
        with_hands(trial, player.split(), dealer.split())
        trial.equal("table.whoWon()", None)
        shown = plain(trial.seen.shown)
        trial.expect(shown.rstrip(".! ") == wanted_text.rstrip("!"), wanted_text, shown)


def s0_77(trial: Trial) -> None:
    """A bust player loses whatever the dealer has."""
    with_hands(trial, ["9S", "8C", "5D"], ["9H", "2D"])
    shown = plain(trial.do("table.whoWon()"))
    trial.expect("dealer wins" in shown, "dealer wins", shown)


def s0_62(trial: Trial) -> None:
    """Both hands go to the discards."""
    player, dealer = dealt(trial, *["9S", "2H", "TC", "4D"])
    before = trial.probe("cards_within", "table", "Card")
    trial.equal("table.clearTable()", None)
    for who, seat in (("player", player), ("dealer", dealer)):
        trial.expect(
            cards_of(trial, seat) == [], f"the {who}'s hand is empty", text_of(trial, seat)
        )
    after = trial.probe("cards_within", "table", "Card")
    trial.expect(len(after) == len(before), "no card is lost", f"{len(before)}, then {len(after)}")


def s0_63(trial: Trial) -> None:
    """Both hands, each with its owner."""
    player, dealer = dealt(trial, *["9S", "2H", "TC", "4D"])
    text = trial.value("str(table)")
    for who, seat in (("player", player), ("dealer", dealer)):
        hand = text_of(trial, seat)
        is_there = who in text.lower() and hand in text
        trial.expect(is_there, f"the {who}'s {hand}", text)


CODES_ON_TABLE = f"[card.getRank() + card.getSuit() for card in {KIT}.cards_within(table, Card)]"


def s0_75(trial: Trial) -> None:
    """52 different cards after any number of rounds."""
    a_table(trial, *["9S", "2H", "TC", "4D"])
    for number in range(60):
        trial.do("table.dealHands(); table.playerHit(); table.playerHit(); table.dealerHit()")
        trial.do("table.clearTable()")
        trial.called = [*trial.called[:3], f"# {number + 1} rounds"]
        cards = trial.look(CODES_ON_TABLE)
        codes = {*cards}
        if len(cards) != 52 or len(codes) != 52:
            raise Failed(
                "52 different cards", f"{len(cards)} cards, {len(codes)} of them different"
            )


def s0_79(trial: Trial) -> None:
    """What is wrong with a file comes out of Table."""
    trial.load("playingCards", "simple21")
    trial.file("bad.txt", CODES[:-1])
    trial.called.append("# bad.txt has 51 cards")
    message = "Cannot populate deck: invalid data in bad.txt"
    trial.raises("Table()", Exception, message, "bad.txt")
