"""Blackjack: the classes Card, Hand and Deck, once the program has started."""

from collections.abc import Mapping

from course.grading.checks import check
from course.grading.checks.tools import Check, attributes, examples
from course.grading.trial import KIT, Failed, Trial, Unclear
from course.sheets.blackjack.checks.scenarios import CODES, begin, hand_value


def a_hand(trial: Trial, codes: str) -> None:
    """Create a hand called ``hand``, to which ``add_card`` adds these cards."""
    trial.called.append("hand = Hand()")
    trial.look(f"globals().__setitem__('hand', {KIT}.new_hand(Hand))")
    for place, code in enumerate(codes.split()):
        trial.called.append(f"card{place} = Card('{code[0]}', '{code[1]}')")
        trial.look(f"globals().__setitem__('card{place}', {KIT}.new_card(Card, {code!r}))")
        trial.do(f"hand.add_card(card{place})")


def values(hands: Mapping[str, int], *before: str) -> Check:
    """Return a step that fails unless hands have these values.

    ``before`` contains hands that another requirement covers. If the values of these hands are
    wrong, nothing can be observed.
    """

    def check(trial: Trial) -> None:
        for codes, value in hands.items():
            a_hand(trial, codes)
            if codes and not trial.look(f"{KIT}.held_in(hand)"):
                raise Unclear("add_card() adds no card, so hands have no values")
            if trial.value("hand.get_value()") == value:
                continue
            wrong = trial.seen
            got = trial.look("hand.get_value()")
            if any(_is_wrong(trial, earlier) for earlier in before):
                raise Unclear(f"hands with one ace have wrong values already; {codes} has {got}")
            trial.seen = wrong
            raise Failed(f"{codes or 'no card'}: {value}", f"{got}")

    return check


def _is_wrong(trial: Trial, codes: str) -> bool:
    """Return whether the program returns a wrong value for a hand."""
    a_hand(trial, codes)
    return bool(trial.look("hand.get_value()") != hand_value(codes.split()))


ONE_ACE = (
    {"C2 D3": 5, "S4 H5 C6": 15, "H7 D8": 15, "S9 CT": 19, "HJ DQ": 20, "CK S2": 12}
    | {"HA D9": 20, "HA D9 C5": 15, "CA SK": 21}
)  # fmt: skip


def a_deck(trial: Trial) -> None:
    """Start the program and create a deck.

    Other observations are only possible if the deck has 52 cards (S1-14).
    """
    begin(trial)
    trial.do("deck = Deck()")
    codes = trial.probe("codes_in", "deck") or trial.probe("dealt_by", "deck")
    if sorted({*codes}) != sorted(CODES) or trial.probe("deals_texts", "Deck()"):
        raise Unclear("a new deck does not have 52 cards made with Card")
    trial.do("deck = Deck()")


def draws_itself(trial: Trial) -> None:
    """Fail if a card is drawn with the face of another card."""
    for code in ("SA", "C2", "DT", "HQ"):
        trial.called.append(f"Card('{code[0]}', '{code[1]}').draw(canvas, [0, 0])")
        face = trial.look(f"{KIT}.face_of({code!r})")
        trial.expect(face in ("", code), f"the face of {code}", face)


EXAMPLES = examples(
    begin,
    {
        # number cards, court cards, and aces as 1 or 11
        "S1-1": values(ONE_ACE),
        # the suit comes before the rank
        "S1-10": [
            draws_itself,
            *(
                {
                    f"str(Card('{suit}', '{rank}'))": f"{suit}{rank}",
                    f"Card('{suit}', '{rank}').get_suit()": suit,
                    f"Card('{suit}', '{rank}').get_rank()": rank,
                }
                for suit, rank in ("SA", "C2", "DT", "HQ")
            ),
        ],
        # each call returns a different card
        "S1-16": [
            a_deck,
            "cards = [deck.deal_card() for _ in range(52)]",
            {"all(isinstance(card, Card) for card in cards)": True},
            {"len({str(card) for card in cards})": 52},
        ],
        # the template's examples
        "S1-19": values(
            {"": 0, "C2 C7 DT SK": 29, "SA": 11, "SA DA": 12, "SA DA SK": 12, "SA DA SK C7": 19},
            *ONE_ACE,
        ),
    },
)


@check("S1-11")
def s1_11(trial: Trial) -> None:
    """A new hand contains no cards."""
    begin(trial)
    trial.do("hand = Hand()")
    stored = attributes(trial, "hand")
    is_list = trial.look("isinstance(hand, list) and not hand")
    trial.expect(is_list or [] in stored.values(), "a field that is an empty list", f"{stored}")


@check("S1-12")
def s1_12(trial: Trial) -> None:
    """The hand contains the card objects themselves instead of their strings."""
    begin(trial)
    a_hand(trial, "SA C2")
    same = f"all(any(card is each for each in {KIT}.held_in(hand)) for card in (card0, card1))"
    stored = attributes(trial, "hand")
    trial.expect(trial.look(same), "the two Card objects in the hand", f"{stored}")


@check("S1-13")
def s1_13(trial: Trial) -> None:
    """A hand's string contains the cards' strings, in any order and among any text."""
    begin(trial)
    a_hand(trial, "SA C2 DT")
    if not trial.look(f"{KIT}.held_in(hand)"):
        raise Unclear("add_card() adds no card, so there is no text of cards")
    text = trial.value("str(hand)")
    cards = [str(trial.look(f"str(card{place})")) for place in range(3)]
    missing = [card for card in cards if card not in str(text)]
    trial.expect(not missing, f"a text with {' '.join(cards)}", text)


@check("S1-14")
def s1_14(trial: Trial) -> None:
    """A deck has all 52 cards, as objects instead of strings."""
    begin(trial)
    trial.do("deck = Deck()")
    codes = trial.probe("codes_in", "deck") or trial.probe("dealt_by", "deck")
    trial.expect(sorted({*codes}) == sorted(CODES), "the 52 cards", " ".join(map(str, codes)))
    texts = trial.probe("deals_texts", "Deck()")
    trial.expect(not texts, "cards that are made with Card", "texts")


@check("S1-15")
def s1_15(trial: Trial) -> None:
    """The deck is shuffled with random.shuffle, and no card is lost."""
    a_deck(trial)
    before = trial.look(f"{KIT}.CALLS.get('shuffle', 0)")
    trial.do("deck.shuffle()")
    shuffled = trial.look(f"{KIT}.CALLS.get('shuffle', 0)") > before
    trial.expect(shuffled, "random.shuffle is called", "it is not")
    order = trial.probe("codes_in", "deck") or trial.probe("dealt_by", "deck")
    trial.expect(sorted(order) == sorted(CODES), "the same cards", " ".join(order))


@check("S1-17")
def s1_17(trial: Trial) -> None:
    """The string of a deck contains every card of the deck and no dealt card."""
    a_deck(trial)
    text = str(trial.value("str(deck)"))
    cards = trial.look(f"[str({KIT}.new_card(Card, code)) for code in {KIT}.CODES]")
    missing = [card for card in cards if card not in text]
    trial.expect(not missing, "the 52 cards", f"without {' '.join(missing)}: {text}")
