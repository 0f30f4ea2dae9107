"""Blackjack: the classes Card, Hand and Deck, once the program runs."""

from collections.abc import Mapping

from course.grading.checks import check
from course.grading.checks.tools import Check, attributes, examples
from course.grading.trial import KIT, Trial, Unclear
from course.sheets.blackjack.checks.screen import SAME_ROW, Table, read

CODES = [suit + rank for suit in "CSHD" for rank in "A23456789TJQK"]
FIVE = ["SA", "C2", "DT", "HQ", "C9"]
NEAR = 2
"""Pixels by which the first card may lie beside its place."""


def a_hand(trial: Trial, codes: str) -> None:
    """Make a hand, called ``hand``, of these cards."""
    trial.called.append("hand = Hand()")
    trial.look(f"globals().__setitem__('hand', {KIT}.new_hand(Hand))")
    for place, code in enumerate(codes.split()):
        trial.do(f"card{place} = Card('{code[0]}', '{code[1]}'); hand.add_card(card{place})")


def values(hands: Mapping[str, int]) -> Check:
    """Return a step that fails unless hands have these values."""

    def check(trial: Trial) -> None:
        for codes, value in hands.items():
            a_hand(trial, codes)
            trial.equal("hand.get_value()", value)

    return check


EXAMPLES = examples(
    Table,
    {
        # the numbers, ten for faces, an ace as it fits
        "S1-1": values(
            {"C2 D3": 5, "S4 H5 C6": 15, "H7 D8": 15, "S9 CT": 19, "HJ DQ": 20, "CK S2": 12}
            | {"HA D9": 20, "HA D9 C5": 15, "CA SK": 21}
        ),
        # suit first, then rank
        "S1-10": [
            {
                f"str(Card('{suit}', '{rank}'))": f"{suit}{rank}",
                f"Card('{suit}', '{rank}').get_suit()": suit,
                f"Card('{suit}', '{rank}').get_rank()": rank,
            }
            for suit, rank in ("SA", "C2", "DT", "HQ")
        ],
        # a card each time, none of them twice
        "S1-16": [
            "deck = Deck(); cards = [deck.deal_card() for _ in range(52)]",
            {"all(isinstance(card, Card) for card in cards)": True},
            {"len({str(card) for card in cards})": 52},
        ],
        # the template's examples
        "S1-19": values(
            {"": 0, "C2 C7 DT SK": 29, "SA": 11, "SA DA": 12, "SA DA SK": 12, "SA DA SK C7": 19}
        ),
    },
)


@check("S1-11")
def s1_11(trial: Trial) -> None:
    """An empty list."""
    Table(trial)
    trial.do("hand = Hand()")
    kept = attributes(trial, "hand")
    trial.expect([] in kept.values(), "a field that is an empty list", f"{kept}")


@check("S1-12")
def s1_12(trial: Trial) -> None:
    """The very object, not its text."""
    Table(trial)
    a_hand(trial, "SA C2")
    lists = [each for each in attributes(trial, "hand").values() if isinstance(each, list)]
    kept = trial.look("[card0, card1]") in lists
    trial.expect(kept, "a list of the two Card objects", f"{lists}")


@check("S1-13")
def s1_13(trial: Trial) -> None:
    """The cards' texts, in order."""
    Table(trial)
    a_hand(trial, "SA C2 DT")
    text = trial.value("str(hand)")
    places = [text.find(code) for code in ("SA", "C2", "DT")]
    trial.expect(-1 not in places and places == sorted(places), "a text with SA C2 DT", text)


@check("S1-14")
def s1_14(trial: Trial) -> None:
    """All 52 cards, and no texts instead."""
    Table(trial)
    trial.do("deck = Deck()")
    codes = trial.probe("codes_in", "deck") or trial.probe("dealt_by", "deck")
    trial.expect(sorted({*codes}) == sorted(CODES), "the 52 cards", " ".join(map(str, codes)))
    texts = trial.probe("deals_texts", "Deck()")
    trial.expect(not texts, "cards that are made with Card", "texts")


@check("S1-15")
def s1_15(trial: Trial) -> None:
    """random.shuffle, and no card lost."""
    Table(trial)
    trial.do("plain = Deck()")
    other = trial.probe("codes_in", "plain") or trial.probe("dealt_by", "plain")
    trial.do("deck = Deck()")
    before = trial.look(f"len({KIT}.SHUFFLES)")
    trial.do("deck.shuffle()")
    shuffled = trial.look(f"len({KIT}.SHUFFLES)") > before
    trial.expect(shuffled, "random.shuffle is called", "it is not")
    order = trial.probe("codes_in", "deck") or trial.probe("dealt_by", "deck")
    trial.expect(sorted(order) == sorted(other), "the same cards", " ".join(order))
    trial.expect(order != other, "another order", " ".join(order))


@check("S1-17")
def s1_17(trial: Trial) -> None:
    """Every card of the deck, none that was dealt."""
    Table(trial)
    text = trial.value("str(Deck())")
    missing = [code for code in CODES if code not in text]
    trial.expect(not missing, "the 52 cards", f"without {' '.join(missing)}: {text}")


@check("S1-27")
def s1_27(trial: Trial) -> None:
    """From the upper left corner on, side by side, five at least.

    The sheet only suggests the row and its place: who draws the five cards otherwise loses nothing.
    """
    Table(trial)
    a_hand(trial, "SA C2 DT HQ C9")
    trial.do("import simplegui_canvas; canvas = simplegui_canvas.Canvas(600, 600)")
    trial.called.pop()
    trial.do("hand.draw(canvas, [50, 200])")
    screen = read(trial.probe("screen", "canvas"))
    cards = sorted((each for each in screen.pictures if each[0]), key=lambda each: each[1])
    shown = [card[0] for card in cards]
    trial.expect({*FIVE} <= {*shown}, f"{' '.join(FIVE)} are seen", f"{shown}")
    heights = [card[2] for card in cards]
    if shown != FIVE or max(heights) - min(heights) > SAME_ROW:
        raise Unclear(f"{' '.join(FIVE)} are seen, but not side by side from left to right")
    _, x, y, width, height = cards[0]
    corner = [x - width / 2, y - height / 2]
    if max(abs(corner[0] - 50), abs(corner[1] - 200)) > NEAR:
        raise Unclear(f"the first card's upper left corner is at {corner}, and pos is [50, 200]")
