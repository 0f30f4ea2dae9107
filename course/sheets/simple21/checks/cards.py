"""Simple 21: the classes Card and Deck, and EmptyDeckException."""

import re

from course.grading.checks import check
from course.grading.checks.tools import (
    CODE_OF,
    CODES,
    RANKS,
    SUITS,
    Raises,
    arranged,
    attributes,
    check_private,
    check_queue,
    examples,
    has,
    interface,
    loading,
    own_tests,
    refuse,
)
from course.grading.trial import KIT, Failed, Trial

FILE = "playingCards.py"
ALL = f"[Card(rank + suit, True) for suit in 'CDHS' for rank in '{RANKS}']"
ORDER = arranged(*["9S", "2H", "TC", "4D", "7C", "3S", "8D", "6H", "5S"])
MESSAGE = "Cannot populate deck: invalid data in bad.txt"


def code(text: str) -> str:
    """Return the expression whose value is a card's code."""
    return f"Card('{text}', True).getRank() + Card('{text}', True).getSuit()"


def worth(text: str) -> str:
    """Return the expression whose value is a card's value in points."""
    return f"int(Card('{text}', True).getValue())"


def a_deck(trial: Trial) -> None:
    """Create ``deck`` from a valid deck file."""
    trial.load("playingCards")
    trial.file("deck.txt", ORDER)
    trial.do("deck = Deck()", "deck.txt")


EXAMPLES = examples(
    loading("playingCards"),
    {
        "S0-2": {f"len({{(card.getRank(), card.getSuit()) for card in {ALL}}})": 52},
        "S0-3": {code(text): text for text in ("TH", "9S", "KD")},
        "S0-4": {worth(f"{number}S"): number for number in range(2, 10)}
        | {worth(f"T{suit}"): 10 for suit in SUITS},
        "S0-5": {worth(f"{rank}D"): 10 for rank in "JQK"},
        "S0-6": {worth(f"A{suit}"): 1 for suit in SUITS},
        # no two cards have a total of 21 or more
        "S0-9": {f"2 * max(card.getValue() for card in {ALL}) < 21": True},
        "S0-16": interface(FILE, "Card"),
        "S0-17": refuse(
            f"Card({wrong!r}, True)"
            for wrong in ("", "J", "JDD", "1D", "0D", "XD", "JX", "10D", 11, None, ["J", "D"])
        ),
        "S0-18": refuse(f"Card('JD', {wrong!r})" for wrong in (0, 1, None, "True")),
        "S0-19": {
            f"({code(text)}).upper()": text.upper() for text in ("jd", "Jd", "jD", "aS", "Tc")
        },
        "S0-21": {
            "Card('JD', True).getRank()": "J",
            "Card('JD', True).getSuit()": "D",
            "Card('2C', False).getRank()": "2",
            "Card('2C', False).getSuit()": "C",
        },
        "S0-22": {
            "type(Card('7C', True).getValue())": int,
            "type(Card('2H', False).getValue())": int,
        },
        "S0-23": {"Card('JD', True).isFaceUp()": True, "Card('JD', False).isFaceUp()": False},
        # turning a card over twice restores it
        "S0-24": [
            step
            for face in (True, False)
            for step in (
                f"card = Card('JD', {face})",
                {"card.turnOver()": None, "bool(card.isFaceUp())": not face},
                "card.turnOver()",
                {"bool(card.isFaceUp())": face},
            )
        ],
        "S0-25": {
            "str(Card('JD', True))": "[ JD ]",
            "str(Card('TH', True))": "[ TH ]",
            "str(Card('JD', False))": "[ xx ]",
        },
        "S0-27": {
            "issubclass(EmptyDeckException, Exception)": True,
            "EmptyDeckException().args": ("Cannot deal card from an empty deck.",),
            "EmptyDeckException('text')": Raises(TypeError),
        },
        "S0-28": interface(FILE, "Deck"),
    },
)
EXAMPLES |= examples(
    a_deck,
    {
        "S0-29": check_queue,
        "S0-37": [
            "cards = [deck.deal() for _ in range(52)]",
            *[{"deck.deal()": Raises("EmptyDeckException")}] * 2,
        ],
    },
)
EXAMPLES |= {"S0-26": own_tests(FILE, "Card", CODES), "S0-41": own_tests(FILE, "Deck", ORDER)}


@check("S0-20")
def s0_20(trial: Trial) -> None:
    """A card has three private attributes, and its rank and suit are in upper case."""
    trial.load("playingCards")
    trial.do("card = Card('JD', False)")
    values = check_private(trial, "card", 3)
    has(trial, values, "J", "D", False)  # noqa: FBT003 - a stored value
    try:
        trial.do("small = Card('jd', False)")
    except Failed:  # another requirement covers upper and lower case
        return
    has(trial, attributes(trial, "small"), "J", "D")


def has_queue(trial: Trial) -> bool:
    """Return whether the deck has a queue, which is then named ``queue``."""
    trial.do(f"queue = {KIT}.queue_of(deck)")
    trial.called.pop()
    return bool(trial.look("queue is not None"))


def expect_cards_down(trial: Trial) -> None:
    """Fail if the first card in the deck's queue is face up."""
    if has_queue(trial):
        lies_up = trial.look("queue.peek().isFaceUp()")
        trial.expect(lies_up is False, "the cards in the deck lie face down", "they lie face up")


def bad_file(trial: Trial, lines: str | list[str], fault: str) -> None:
    """Write an invalid deck file, and show its error in the report."""
    trial.file("bad.txt", lines)
    trial.called.append(f"# bad.txt has {fault}")


def refuses(trial: Trial, lines: str | list[str], fault: str) -> None:
    """Fail unless a deck file with these lines is rejected as the sheet requires."""
    bad_file(trial, lines, fault)
    trial.raises("Deck()", Exception, MESSAGE, "bad.txt")


@check("S0-30")
def s0_30(trial: Trial) -> None:
    """The program asks a single question, which requests a file name."""
    trial.load("playingCards")
    trial.file("deck.txt", ORDER)
    trial.do("deck = Deck()", "deck.txt", "never asked for")
    asked = trial.seen.typed
    trial.expect(asked == ["deck.txt"], "Deck() asks once", f"it asked {len(asked)} times")


@check("S0-31")
def s0_31(trial: Trial) -> None:
    """If a file cannot be opened, the program prints an error and asks for another."""
    trial.load("playingCards")
    trial.file("deck.txt", ORDER)
    for wrong in ("missing.txt", "."):
        trial.do("deck = Deck()", wrong, wrong, "deck.txt")
        asked = trial.seen.typed
        trial.expect(asked == [wrong, wrong, "deck.txt"], "it asks until a file opens", asked)
        prompt, message, *_ = trial.seen.parts
        trial.expect(message.strip() != prompt.strip(), "a message before it asks again", message)


@check("S0-32")
def s0_32(trial: Trial) -> None:
    """The first line's card is dealt first, and the deck's cards are face down."""
    a_deck(trial)
    expect_cards_down(trial)
    trial.equal(f"[{CODE_OF}(deck.deal()) for _ in range(52)]", ORDER)


@check("S0-33")
def s0_33(trial: Trial) -> None:
    """A line that is not a card is rejected."""
    trial.load("playingCards")
    for line in ("1S", "TX", "XX", "10H", "hello", ""):
        refuses(trial, [*ORDER[:20], line, *ORDER[21:]], f"{line!r} in line 21")


@check("S0-34")
def s0_34(trial: Trial) -> None:
    """A file with a missing, an additional or a repeated card is rejected."""
    trial.load("playingCards")
    refuses(trial, ORDER[:-1], f"51 cards, without {ORDER[-1]}")
    refuses(trial, [*ORDER, "9S"], "53 cards, 9S twice")
    for again in ("9S", "9s"):
        refuses(trial, [*ORDER[:-1], again], f"52 cards, the last one {again} again")
    refuses(trial, "", "nothing in it")


@check("S0-35")
def s0_35(trial: Trial) -> None:
    """The file is always closed, and the deck is empty after an error in the file."""
    trial.load("playingCards")
    trial.file("deck.txt", ORDER)
    for name, lines, fault in (
        ("short", ORDER[:-1], "51 cards"),
        ("wrong", [*ORDER[:-1], "XX"], "'XX' in line 52"),
    ):
        trial.called.append(f"a {name} file")
        trial.do("deck = object.__new__(Deck)")
        bad_file(trial, lines, fault)
        trial.probe("watch_files")
        trial.raises("deck.__init__()", Exception, None, "bad.txt")
        left = trial.look("queue.size()") if has_queue(trial) else 0
        trial.expect(left == 0, "the deck is empty after the error", f"it has {left} cards")
        trial.expect(not trial.probe("files_left_open"), "the file is closed", "it is open")
    trial.probe("watch_files")
    trial.do("deck = Deck()", "deck.txt")
    trial.expect(not trial.probe("files_left_open"), "the file is closed", "it is open")


@check("S0-36")
def s0_36(trial: Trial) -> None:
    """The front card is dealt face up, always at the same cost."""
    a_deck(trial)
    first = trial.lines_run("one = deck.deal()")
    trial.equal("bool(one.isFaceUp())", expected=True)
    for _ in range(49):
        trial.do("another = deck.deal()")
    trial.called = trial.called[:4]
    last = trial.lines_run("two = deck.deal()")
    trial.equal(f"({CODE_OF}(one), {CODE_OF}(two))", (ORDER[0], ORDER[50]))
    trial.equal("bool(two.isFaceUp())", expected=True)
    trial.expect(first - last < 20, "dealing costs O(1)", "it costs more with 52 cards than with 2")


@check("S0-38")
def s0_38(trial: Trial) -> None:
    """``repopulate`` prints a message, and adds every card once in a new order.

    The method returns None.
    """
    a_deck(trial)
    orders = set()
    for _ in range(4):
        trial.do("cards = [deck.deal() for _ in range(52)]")
        trial.equal("deck.repopulate(list(cards))", None)
        trial.expect(trial.seen.shown.strip(), "a message that the deck is repopulated", "nothing")
        trial.do("again = [deck.deal() for _ in range(52)]")
        order = trial.value(f"list(map({CODE_OF}, again))")
        trial.expect(sorted(order) == sorted(CODES), "all 52 cards, each once", order)
        orders.add(tuple(order))
        trial.do("deck.repopulate(list(again))")
        trial.called = trial.called[-6:]
    trial.expect(len(orders) > 1, "the cards come in random order", "always in the same")


@check("S0-39")
def s0_39(trial: Trial) -> None:
    """Cards are returned to the deck face down, and are dealt face up."""
    a_deck(trial)
    trial.do("cards = [deck.deal() for _ in range(52)]")
    trial.do("for card in cards[:26]:\n    if card.isFaceUp(): card.turnOver()")
    trial.do("for card in cards[26:]:\n    if not card.isFaceUp(): card.turnOver()")
    trial.do("deck.repopulate(cards)")
    expect_cards_down(trial)
    trial.equal("[card.isFaceUp() for card in [deck.deal() for _ in range(52)]]", [True] * 52)


@check("S0-40")
def s0_40(trial: Trial) -> None:
    """The deck's string shows every card in order, and ``str`` changes nothing."""
    a_deck(trial)
    trial.do("deck.deal()")
    text = trial.value("str(deck)")
    codes = re.findall(rf"[{RANKS}][CDHS]", text)
    wanted = ORDER[1:]
    in_order = codes in (wanted, wanted[::-1])
    trial.expect(in_order, f"all cards face up from the front on: {' '.join(wanted)}", text)
    if codes != wanted:
        trial.accept("the deck is shown from the rear to the front")
    trial.do("str(deck)")
    trial.equal(f"[{CODE_OF}(deck.deal()) for _ in range(51)]", wanted)
