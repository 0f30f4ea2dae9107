"""Bingo: the classes Card and Deck."""

import re

from course.grading.checks import check
from course.grading.checks.tools import (
    CODE_OF,
    CODES,
    RANKS,
    arranged,
    check_private,
    check_queue,
    examples,
    interface,
    loading,
    own_tests,
    refuse,
)
from course.grading.trial import Trial, shown

FILE = "playingCards.py"
ORDER = arranged(*["9S", "2H", "TC", "4D", "7C", "3S", "8D", "6H", "5S", "AH"])


def a_deck(trial: Trial, *codes: str) -> None:
    """Create a deck called ``deck`` with these cards, the top card first."""
    trial.load("playingCards")
    trial.do("deck = Deck()")
    trial.do(f"for code in {list(codes)}:\n    deck.addCard(Card(code[0], code[1], True))")


def special_methods(trial: Trial) -> None:
    """Fail unless Card has its two methods."""
    for method in ("__eq__", "__str__"):
        trial.expect(trial.look(f"{method!r} in vars(Card)"), f"Card has {method}", "it has none")


EXAMPLES = examples(
    loading("playingCards"),
    {
        "S4-1": {
            f"len({{str(Card(rank, suit, True)) for rank in '{RANKS}' for suit in 'CDHS'}})": 52
        },
        "S4-2": [interface(FILE, "Card"), special_methods],
        "S4-3": [
            *(f"Card({rank!r}, 'S', True)" for rank in dict.fromkeys(RANKS + RANKS.lower())),
            refuse(
                f"Card({wrong!r}, 'S', True)"
                for wrong in ("", "1", "0", "10", "X", "23", "TJ", 2, None)
            ),
        ],
        "S4-4": [
            *(f"Card('A', {suit!r}, True)" for suit in "SHDCshdc"),
            refuse(
                f"Card('A', {wrong!r}, True)" for wrong in ("", "X", "SH", "DC", "SHDC", 1, None)
            ),
        ],
        "S4-5": refuse(f"Card('A', 'S', {face!r})" for face in (0, 1, None, "True")),
        "S4-7": [
            {
                f"Card('{rank}', '{suit}', True).getRank()": rank,
                f"Card('{rank}', '{suit}', False).getSuit()": suit,
            }
            for rank, suit in ("TH", "2C", "AS")
        ],
        # turned over twice
        "S4-8": [
            step
            for face in (True, False)
            for step in (
                f"card = Card('J', 'D', {face})",
                *(
                    {"card.isFaceUp()": face, "card.turnOver()": None},
                    {"card.isFaceUp()": not face},
                ),
                *("card.turnOver()", {"card.isFaceUp()": face}),
            )
        ],
        "S4-12": interface(FILE, "Deck"),
    },
)
EXAMPLES |= examples(
    a_deck,
    {
        "S4-15": refuse(
            (f"deck.addCard({thing})" for thing in ("'KS'", "None", "13")),
            *(AssertionError, "Can only add cards to deck"),
        )
    },
)
EXAMPLES |= {"S4-11": own_tests(FILE, "Card"), "S4-22": own_tests(FILE, "Deck")}


@check("S4-6")
def s4_6(trial: Trial) -> None:
    """A card has three private attributes, and its rank and suit are in upper case."""
    trial.load("playingCards")
    trial.do("card = Card('t', 'h', False)")
    values = check_private(trial, "card", 3)
    for word, value in (("rank", "T"), ("suit", "H"), ("faceup", False)):
        matching = [name for name in values if name.lower().replace("_", "").endswith(word)]
        trial.expect(matching, f"an attribute __{word}", " ".join(values))
        trial.expect(
            values[matching[0]] == value, f"{matching[0]} is {value!r}", values[matching[0]]
        )
        if not matching[0].startswith("_Card__"):
            trial.accept("private attributes with one underscore (A0-8)")


@check("S4-9")
def s4_9(trial: Trial) -> None:
    """Two cards are equal if their ranks and suits are equal, face up or face down."""
    trial.load("playingCards")
    for other, equal in (
        ("'J', 'D', True", True), ("'J', 'D', False", True),
        ("'J', 'S', True", False), ("'9', 'D', True", False),
    ):  # fmt: skip
        trial.equal(f"Card('J', 'D', True) == Card({other})", equal)
    for first, second in ((True, True), (True, False), (False, False)):
        trial.do(f"ones = [Card(r, s, {first}) for r in '{RANKS}' for s in 'CDHS']")
        trial.do(f"others = [Card(r, s, {second}) for r in '{RANKS}' for s in 'CDHS']")
        wrong = trial.look(
            "[(str(a), str(b), a == b) for i, a in enumerate(ones) for j, b in enumerate(others)"
            " if (a == b) is not (i == j)][:3]"
        )
        trial.expect(not wrong, "each card equals itself and no other", wrong)


@check("S4-10")
def s4_10(trial: Trial) -> None:
    """The string of a card shows whether the card is face up or face down."""
    trial.load("playingCards")
    for card, wanted in (("'T', 'H', True", "[ TH ]"), ("'T', 'H', False", "[ ]")):
        text = trial.value(f"str(Card({card}))")
        trial.expect(text.strip() == wanted, shown(wanted), shown(text))
        if text != wanted:
            trial.accept("blanks around the text of a card (A4-1)")


@check("S4-13")
def s4_13(trial: Trial) -> None:
    """A new deck is empty, and its only attribute is a private circular queue."""
    a_deck(trial)
    check_queue(trial)
    size = trial.look("queue.size()")
    trial.expect(trial.look("queue.isEmpty()"), "an empty deck", f"{size} cards")


@check("S4-14")
def s4_14(trial: Trial) -> None:
    """A card is added face down at the bottom, always at the same cost."""
    a_deck(trial, "9S", "2H")
    trial.do("card = Card('T', 'C', True)")
    trial.equal("deck.addCard(card)", None)
    trial.equal("card.isFaceUp() or deck.dealCard() is card", expected=False)
    a_deck(trial, *ORDER[:50])
    few = trial.lines_run("other = Deck(); other.addCard(Card('9', 'H', True))")
    many = trial.lines_run("other = Deck(); deck.addCard(Card('9', 'H', True))")
    trial.expect(many - few < 20, "adding costs O(1)", "it costs more with 50 cards than with none")


KING = "str(Card('K', 'S', True))"


@check("S4-16")
def s4_16(trial: Trial) -> None:
    """A full deck shows the rejected card face up."""
    a_deck(trial, *ORDER)
    for face in (True, False):
        text = f"Cannot add {trial.look(KING).strip()}: Deck is full"
        trial.raises(f"deck.addCard(Card('k', 's', {face}))", Exception, text)


@check("S4-17")
def s4_17(trial: Trial) -> None:
    """The top card is dealt face up, at the same cost for any number of cards."""
    a_deck(trial, *ORDER)
    many = trial.lines_run("card = deck.dealCard()")
    trial.equal("bool(card.isFaceUp())", expected=True)
    trial.equal(f"{CODE_OF}(card)", ORDER[0])
    trial.equal(f"[{CODE_OF}(deck.dealCard()) for _ in range(50)]", ORDER[1:51])
    few = trial.lines_run("card = deck.dealCard()")
    trial.expect(many - few < 20, "dealing costs O(1)", "it costs more with 52 cards than with 1")


@check("S4-18")
def s4_18(trial: Trial) -> None:
    """An empty deck raises an exception."""
    a_deck(trial, "9S")
    trial.do("deck.dealCard()")
    trial.raises("deck.dealCard()", Exception, "Cannot deal card from empty deck")


@check("S4-19")
def s4_19(trial: Trial) -> None:
    """The size is the number of cards."""
    a_deck(trial, *ORDER[:3])
    trial.equal("deck.deckSize()", 3)
    trial.do("deck.dealCard()")
    trial.equal("deck.deckSize()", 2)
    trial.equal("Deck().deckSize()", 0)


@check("S4-20")
def s4_20(trial: Trial) -> None:
    """A complete deck has 52 different cards, and ``isComplete`` changes nothing."""
    a_deck(trial, *ORDER[:-1])
    trial.equal("deck.isComplete()", expected=False)
    a_deck(trial, *ORDER[:-1], ORDER[0])
    trial.equal("deck.isComplete()", expected=False)
    a_deck(trial, *ORDER)
    trial.equal("deck.isComplete()", expected=True)
    trial.equal("deck.isComplete()", expected=True)
    trial.equal(f"[{CODE_OF}(deck.dealCard()) for _ in range(52)]", ORDER)


@check("S4-21")
def s4_21(trial: Trial) -> None:
    """A deck's string shows every card from the top, and ``str`` changes nothing."""
    a_deck(trial, *ORDER)
    text = trial.value("str(deck)")
    codes = re.findall(rf"[{RANKS}][CDHS]", text)
    trial.expect(codes in (ORDER, ORDER[::-1]), f"all cards in order: {' '.join(ORDER)}", text)
    trial.equal(f"{CODE_OF}(deck.dealCard())", ORDER[0])


assert len(ORDER) == len(CODES), "a deck of all cards"
