"""Simple 21: the class Card, its values, and EmptyDeckException."""

from course.grading.checks.tools import (
    RANKS,
    attributes,
    check_interface,
    check_private,
    check_tests,
    has,
)
from course.grading.trial import Failed, Trial

FILE = "playingCards.py"
ALL = f"[Card(rank + suit, True) for suit in 'CDHS' for rank in '{RANKS}']"


def s0_2(trial: Trial) -> None:
    """Thirteen ranks in four suits make 52 different cards."""
    trial.load("playingCards")
    trial.equal(f"len({{(card.getRank(), card.getSuit()) for card in {ALL}}})", 52)


def s0_3(trial: Trial) -> None:
    """The rank comes first, then the suit."""
    trial.load("playingCards")
    for code in ("TH", "9S", "KD"):
        trial.equal(f"Card('{code}', True).getRank() + Card('{code}', True).getSuit()", code)


def s0_4(trial: Trial) -> None:
    """The numbers count what they say, whatever the suit."""
    trial.load("playingCards")
    for number in range(2, 10):
        trial.equal(f"int(Card('{number}S', True).getValue())", number)
    for suit in "CDHS":
        trial.equal(f"int(Card('T{suit}', True).getValue())", 10)


def s0_5(trial: Trial) -> None:
    """Jack, queen and king count 10."""
    trial.load("playingCards")
    for rank in "JQK":
        trial.equal(f"int(Card('{rank}D', True).getValue())", 10)


def s0_6(trial: Trial) -> None:
    """An ace counts 1."""
    trial.load("playingCards")
    for suit in "CDHS":
        trial.equal(f"int(Card('A{suit}', True).getValue())", 1)


def s0_9(trial: Trial) -> None:
    """No two cards make 21."""
    trial.load("playingCards")
    trial.equal(f"2 * max(card.getValue() for card in {ALL}) < 21", expected=True)


def s0_16(trial: Trial) -> None:
    """The public names of Card are the sheet's, no more and no fewer."""
    trial.load("playingCards")
    check_interface(trial, FILE, "Card")


def s0_17(trial: Trial) -> None:
    """What is no code is an AssertionError."""
    trial.load("playingCards")
    for code in ("", "J", "JDD", "1D", "0D", "XD", "JX", "10D", 11, None, ["J", "D"]):
        trial.raises(f"Card({code!r}, True)", AssertionError)


def s0_18(trial: Trial) -> None:
    """What is neither True nor False is an AssertionError."""
    trial.load("playingCards")
    for face in (0, 1, None, "True"):
        trial.raises(f"Card('JD', {face!r})", AssertionError)


def s0_19(trial: Trial) -> None:
    """Codes in either case are the same card."""
    trial.load("playingCards")
    for code in ("jd", "Jd", "jD", "aS", "Tc"):
        trial.equal(f"(Card('{code}', True).getRank() + Card('{code}', True).getSuit()).upper()",
                    code.upper())  # fmt: skip


def s0_20(trial: Trial) -> None:
    """Three private attributes, in upper case."""
    trial.load("playingCards")
    trial.do("card = Card('JD', False)")
    kept = check_private(trial, "card", 3)
    has(trial, kept, "J", "D", False)  # noqa: FBT003
    try:
        trial.do("small = Card('jd', False)")
    except Failed:  # another requirement says that the case does not matter
        return
    has(trial, attributes(trial, "small"), "J", "D")


def s0_21(trial: Trial) -> None:
    """One character each."""
    trial.load("playingCards")
    trial.equal("Card('JD', True).getRank()", "J")
    trial.equal("Card('JD', True).getSuit()", "D")
    trial.equal("Card('2C', False).getRank()", "2")
    trial.equal("Card('2C', False).getSuit()", "C")


def s0_22(trial: Trial) -> None:
    """The value is an integer."""
    trial.load("playingCards")
    trial.equal("type(Card('7C', True).getValue())", int)
    trial.equal("type(Card('2H', False).getValue())", int)


def s0_23(trial: Trial) -> None:
    """True face up, False face down."""
    trial.load("playingCards")
    trial.equal("Card('JD', True).isFaceUp()", expected=True)
    trial.equal("Card('JD', False).isFaceUp()", expected=False)


def s0_24(trial: Trial) -> None:
    """Turning is undone by turning again, and returns nothing."""
    trial.load("playingCards")
    for face in (True, False):
        trial.do(f"card = Card('JD', {face})")
        trial.equal("card.turnOver()", None)
        trial.equal("bool(card.isFaceUp())", not face)
        trial.do("card.turnOver()")
        trial.equal("bool(card.isFaceUp())", face)


def s0_25(trial: Trial) -> None:
    """Code in brackets face up, xx face down."""
    trial.load("playingCards")
    trial.equal("str(Card('JD', True))", "[ JD ]")
    trial.equal("str(Card('TH', True))", "[ TH ]")
    trial.equal("str(Card('JD', False))", "[ xx ]")


def s0_26(trial: Trial) -> None:
    """The file tests Card when it is run."""
    trial.file("deck.txt", [rank + suit for suit in "CDHS" for rank in RANKS])
    check_tests(trial, FILE, "Card", *["deck.txt"] * 20)


def s0_27(trial: Trial) -> None:
    """An Exception without arguments that says what happened."""
    trial.load("playingCards")
    trial.equal("issubclass(EmptyDeckException, Exception)", expected=True)
    trial.equal("EmptyDeckException().args", ("Cannot deal card from an empty deck.",))
    trial.raises("EmptyDeckException('text')", TypeError)
