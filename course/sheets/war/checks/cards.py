"""War: the classes Card, Hand, Deck and Player."""

from course.grading.checks import check
from course.grading.checks.tools import examples, interface, loading, refuse
from course.grading.trial import Trial

FILE = "war.py"


def a_hand(trial: Trial, cards: str = "Card(2,'S'), Card(13,'H'), Card(7,'C')") -> None:
    """Create a hand named ``hand``."""
    trial.load("war")
    trial.do(f"cards = [{cards}]; hand = Hand(cards)")


EXAMPLES = examples(
    loading("war"),
    {
        # invalid ranks and invalid suits
        "S3-6": [
            *(f"Card({rank}, 'S')" for rank in range(2, 15)),
            refuse(f"Card({wrong!r}, 'S')" for wrong in (1, 15, 0, "5", "K", None)),
            refuse(f"Card(5, {suit!r})" for suit in ("s", "X", "", "♠", None)),
        ],
        "S3-9": {"Card(2,'H') is Card(2,'H')": False},
        # a list of players, without a deck
        "S3-19": {
            "type(Deck.build_deck())": list,
            "len({repr(card) for card in Deck.build_deck()})": 52,
            "len(Deck.build_deck())": 52,
        },
    },
)
EXAMPLES |= examples(a_hand, {"S3-15": {"hand.num_cards": 3}})


@check("S3-7")
def s3_7(trial: Trial) -> None:
    """``str`` and ``repr`` return strings in the required form."""
    trial.load("war")
    for rank, suit, text in ((2, "H", "2♡"), (10, "D", "10♢"), (11, "C", "J♣"), (12, "S", "Q♠"),
                             (13, "H", "K♡"), (14, "D", "A♢")):  # fmt: skip
        trial.equal(f"str(Card({rank}, '{suit}'))", text)
        trial.equal(f"repr(Card({rank}, '{suit}'))", f"Card({rank},'{suit}')")


@check("S3-8")
def s3_8(trial: Trial) -> None:
    """Comparisons of cards use only the ranks."""
    trial.load("war")
    for left, sign, right, holds in (
        ("2,'H'", "==", "2,'S'", True), ("2,'H'", "==", "7,'H'", False),
        ("2,'H'", ">", "7,'S'", False), ("9,'H'", ">", "7,'S'", True),
        ("2,'H'", "<", "7,'S'", True), ("14,'H'", "<", "7,'S'", False),
        ("7,'H'", "<", "7,'S'", False), ("7,'H'", ">", "7,'S'", False),
    ):  # fmt: skip
        trial.equal(f"bool(Card({left}) {sign} Card({right}))", holds)
    trial.do("cards = [Card(3,'S'), Card(14,'D'), Card(10,'D'), Card(14,'H')]")
    trial.equal("max(cards) is cards[1]", expected=True)
    trial.equal("min(cards) is cards[0]", expected=True)
    trial.equal("[cards.index(card) for card in sorted(cards)]", [0, 2, 1, 1])


@check("S3-10")
def s3_10(trial: Trial) -> None:
    """Every hand has its own list of cards."""
    a_hand(trial)
    trial.do("other = Hand(cards); empty = Hand()")
    trial.do("hand.receive_card(Card(9,'D')); Hand().receive_card(Card(4,'S'))")
    trial.equal("(len(cards), other.num_cards, empty.num_cards)", (3, 3, 0))
    trial.equal("(Hand().num_cards, Player('Pam').num_cards)", (0, 0))


@check("S3-11")
def s3_11(trial: Trial) -> None:
    """Cards are added at the bottom, in the given order."""
    a_hand(trial, "Card(2,'S')")
    trial.do("hand.receive_card(Card(13,'H')); hand.receive_cards([Card(7,'C'), Card(3,'D')])")
    trial.equal("[repr(card) for card in hand]",
                ["Card(2,'S')", "Card(13,'H')", "Card(7,'C')", "Card(3,'D')"])  # fmt: skip


@check("S3-12")
def s3_12(trial: Trial) -> None:
    """A shuffle changes the order of the cards, and loses no card."""
    trial.load("war")
    trial.do("hand = Hand([Card(rank, suit) for rank in range(2, 15) for suit in 'SH'])")
    trial.do("before = [repr(card) for card in hand]; hand.shuffle()")
    trial.do("after = [repr(card) for card in hand]")
    trial.equal("sorted(after) == sorted(before)", expected=True)
    trial.equal("after == before", expected=False)
    trial.do("orders = [(hand.shuffle(), str(hand))[1] for _ in range(4)]")
    trial.equal("len(set(orders)) > 2", expected=True)
    trial.do("Hand().shuffle()")


@check("S3-13")
def s3_13(trial: Trial) -> None:
    """The deck deals the top card until no cards are left."""
    a_hand(trial)
    for code in ("Card(2,'S')", "Card(13,'H')", "Card(7,'C')"):
        trial.equal("repr(hand.give_card())", code)
    trial.raises("hand.give_card()", AssertionError)


@check("S3-14")
def s3_14(trial: Trial) -> None:
    """The iterator yields one card after another, starting at the top."""
    a_hand(trial)
    trial.do("giving = hand.give_cards()")
    kind = trial.look("type(giving).__name__")
    trial.expect(kind == "generator", "a generator", kind)
    trial.equal("repr(next(giving))", "Card(2,'S')")
    trial.equal("hand.num_cards - 0", 2)
    trial.equal("[repr(card) for card in giving]", ["Card(13,'H')", "Card(7,'C')"])
    trial.equal("hand.num_cards - 0", 0)


@check("S3-16")
def s3_16(trial: Trial) -> None:
    """Iterating changes nothing."""
    a_hand(trial)
    for _ in range(2):
        trial.equal("len([card for card in hand])", 3)
    trial.equal("len(list(hand)) == hand.num_cards", expected=True)


@check("S3-17")
def s3_17(trial: Trial) -> None:
    """``repr`` and ``str`` return strings in the required form."""
    a_hand(trial, "Card(2,'S')")
    trial.equal("repr(hand)", "Hand([Card(2,'S')])")
    trial.equal("str(hand)", "['2♠']")
    trial.equal("repr(Hand())", "Hand([])")
    trial.equal("str(Hand())", "[]")


@check("S3-18")
def s3_18(trial: Trial) -> None:
    """A deck is a shuffled hand of all cards, and its ``size`` does not change."""
    trial.load("war")
    trial.do("deck = Deck()")
    trial.equal("isinstance(deck, Hand)", expected=True)
    trial.equal("len({repr(card) for card in deck})", 52)
    trial.equal("deck.size", 52)
    trial.equal("[repr(card) for card in deck] == [repr(card) for card in Deck()]", expected=False)
    trial.do("deck.give_card()")
    trial.equal("deck.size", 52)
    interface(FILE, "Hand", exactly=False)(trial)


@check("S3-20")
def s3_20(trial: Trial) -> None:
    """A player is a hand with a name."""
    trial.load("war")
    trial.do("player = Player('Pam'); player.receive_card(Card(10,'H'))")
    trial.equal("isinstance(player, Hand)", expected=True)
    trial.equal("player.name", "Pam")
    trial.equal("repr(player)", "Player('Pam', [Card(10,'H')])")
    trial.equal("str(player)", "<'Pam' has ['10♡']>")
    trial.equal("repr(Player('Pam'))", "Player('Pam', [])")
    trial.equal("repr(Player('Pam', [Card(2,'S')]))", "Player('Pam', [Card(2,'S')])")
