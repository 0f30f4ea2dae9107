"""Ten rounds of the sheet's deck on the pages, as a browser plays them.

``BY_HAND`` was computed by hand from the deck file and the rules, down to the last four cards.
"""

import re
from typing import Any

from flask.testing import FlaskClient

from tests.support.hidden import RANK_NAMES
from tests.support.pages import only
from tests.support.site import DECK, TABLE, look, uploaded

DEALING = "Dealing cards to player and dealer..."
REFILL = "Repopulating deck with cards..."
TAKES = "Dealer must take a card..."


RANKS = {name: rank for rank, name in RANK_NAMES.items()}


def code_of(name: str) -> str:
    """Return the code of the card whose image has a name such as ``ace of hearts``."""
    rank, _, suit = name.partition(" of ")
    return "xx" if name == "face-down card" else RANKS[rank] + suit[0].upper()


def hand_on(page: str, label: str) -> tuple[str, int | None]:
    """Return the names of a hand's cards, read from the images, and the hand's total."""
    section = only(page, f'section[aria-labelledby="{label}"]')
    (heading,) = section.select("h2")
    heard = (
        text
        for text in heading.find_all(string=True)
        if not text.find_parent(attrs={"aria-hidden": "true"})
    )
    total = re.search(r"\d+", "".join(heard))
    cards = [code_of(str(image["alt"])) for image in section.select("img[alt]")]
    return " ".join(cards), int(total[0]) if total else None


def on_a_page(client: FlaskClient, form: dict[str, Any]) -> tuple[Any, ...]:
    """Make a move as a browser does, and return the page in the format of BY_HAND."""
    answer = client.post(TABLE, data=form)
    assert answer.status_code == 303, answer.text
    page = client.get(answer.headers["Location"]).text
    (left,) = re.findall(r'<div class="pile deck">.*?<b class="n">(\d+)</b>', page, re.DOTALL)
    counts = dict(re.findall(r"<dt>([^<]*)</dt>\s*<dd>(-?\d+)</dd>", page))
    playing = re.findall(r'name="move" value="(\w+)"', page) == ["hit", "stay", "new"]
    assert ("Hit or stay?" if playing else "Deal again?") in page
    (step,) = set(re.findall(r'name="step" value="(\d+)"', page))
    assert int(step) == int(form["step"]) + 1
    tally = tuple(int(counts[name]) for name in ("You won", "Dealer won", "Ties"))
    piles = int(left), int(counts.get("Discards", 0))
    number = int(re.findall(r"Round (\d+)", page)[0])
    return (*hand_on(page, "you"), *hand_on(page, "dealer"), *piles, not playing, tally), number


# The cards of the file, with the top card first. A vertical bar ends a round. The first and the
# third card of a round are the player's.   KS JH QS AH QH | 6D 5H TS KC TH | 6C TD KD 7H | 3C 9C 2C
# 8S 9S 4C | AD 2D QD AC JD |   2H 4H 8H 4S 4D 3S 5D 6S | 3D QC TC 8C 5C | 6H JC AS 9H | 7S 7D 7C 9D
# 5S 3H | JS 8D 2S KH
#
# Move, your hand and its total, the dealer's hand, cards in the deck, discards, whether the round
# ended, tally (you, dealer, ties), and the message.
BY_HAND: list[tuple[Any, ...]] = [
    ("deal", "KS QS", 20, "JH xx", None, 48, 0, False, (0, 0, 0), DEALING),
    # The dealer draws QH to 11 and has 21.
    ("stay", "KS QS", 20, "JH AH QH", 21, 47, 0, True, (0, 1, 0), "Dealer wins round 1!"),
    ("deal", "6D TS", 16, "5H xx", None, 43, 5, False, (0, 1, 0), DEALING),
    ("hit", "6D TS TH", 26, "5H xx", None, 42, 5, True, (0, 2, 0), "Dealer wins round 2!"),
    # KC is discarded unseen.
    ("deal", "6C KD", 16, "TD xx", None, 38, 10, False, (0, 2, 0), DEALING),
    ("stay", "6C KD", 16, "TD 7H", 17, 38, 10, True, (0, 3, 0), "Dealer wins round 3!"),
    ("deal", "3C 2C", 5, "9C xx", None, 34, 14, False, (0, 3, 0), DEALING),
    ("hit", "3C 2C 9S", 14, "9C xx", None, 33, 14, False, (0, 3, 0), ""),
    ("hit", "3C 2C 9S 4C", 18, "9C xx", None, 32, 14, False, (0, 3, 0), ""),
    ("stay", "3C 2C 9S 4C", 18, "9C 8S", 17, 32, 14, True, (1, 3, 0), "Player wins round 4!"),
    # An ace is 1: AD QD is 11, not 21.
    ("deal", "AD QD", 11, "2D xx", None, 28, 20, False, (1, 3, 0), DEALING),
    ("hit", "AD QD JD", 21, "2D xx", None, 27, 20, False, (1, 3, 0), ""),
    ("stay", "AD QD JD", 21, "2D xx", None, 27, 20, True, (2, 3, 0), "wins round 5 with a NATURAL"),
    ("deal", "2H 8H", 10, "4H xx", None, 23, 25, False, (2, 3, 0), DEALING),
    ("hit", "2H 8H 4D", 14, "4H xx", None, 22, 25, False, (2, 3, 0), ""),
    # The dealer's totals are 8, 11, 16 and 22.
    ("stay", "2H 8H 4D", 14, "4H 4S 3S 5D 6S", 22, 19, 25, True, (3, 3, 0), "Dealer went bust."),
    ("deal", "3D TC", 13, "QC xx", None, 15, 33, False, (3, 3, 0), DEALING),
    ("hit", "3D TC 5C", 18, "QC xx", None, 14, 33, False, (3, 3, 0), ""),
    ("stay", "3D TC 5C", 18, "QC 8C", 18, 14, 33, True, (3, 3, 1), "Tie! No one wins round 7!"),
    ("deal", "6H AS", 7, "JC xx", None, 10, 38, False, (3, 3, 1), DEALING),
    ("stay", "6H AS", 7, "JC 9H", 19, 10, 38, True, (3, 4, 1), "Dealer wins round 8!"),
    ("deal", "7S 7C", 14, "7D xx", None, 6, 42, False, (3, 4, 1), DEALING),
    ("hit", "7S 7C 5S", 19, "7D xx", None, 5, 42, False, (3, 4, 1), ""),
    # The dealer draws 3H to 16 and also has 19.
    ("stay", "7S 7C 5S", 19, "7D 9D 3H", 19, 4, 42, True, (3, 4, 2), TAKES),
    # The last four cards. Nothing is shuffled before the next card is needed.
    ("deal", "JS 2S", 12, "8D xx", None, 0, 48, False, (3, 4, 2), DEALING),
]


def test_ten_rounds_with_the_sheets_deck_are_those_by_hand(client: FlaskClient) -> None:
    """The rounds use the complete deck. The file is sent with the first deal."""
    rounds = 0
    for step, expected in enumerate(BY_HAND):
        move, *table, said = expected
        file = {} if step else {"deck": uploaded(DECK)}
        rounds += move == "deal"
        found = on_a_page(client, {"move": move, "step": str(step), **file})
        assert found == (tuple(table), rounds)
        messages = look(client, TABLE)["view"][
            "messages"
        ]  # The page words its messages differently.
        assert said in " ".join(messages)
        assert REFILL not in messages
