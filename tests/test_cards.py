"""Cards, shuffling, and deck files: what is accepted, what is refused, and in which words.

The codes are written here by hand (S0-2, S0-3), not taken from the enumeration that is tested.
"""

import random
import re
from collections.abc import Iterable
from itertools import pairwise, product
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from cardgames.cards import (
    FULL_DECK,
    Card,
    CardGameError,
    File,
    InvalidDeck,
    Rank,
    Suit,
    parse_deck,
    shuffled,
)

DECKS = Path(__file__).parent / "decks"

RANKS = {
    "A": "ace",
    "2": "two",
    "3": "three",
    "4": "four",
    "5": "five",
    "6": "six",
    "7": "seven",
    "8": "eight",
    "9": "nine",
    "T": "ten",
    "J": "jack",
    "Q": "queen",
    "K": "king",
}
SUITS = {"C": "clubs", "D": "diamonds", "H": "hearts", "S": "spades"}
CODES = [rank + suit for suit, rank in product(SUITS, RANKS)]
A_CODE = re.compile("|".join(CODES))
SENTENCE = "Cannot populate deck: invalid data in "


def lines_of(codes: Iterable[str], end: str = "\n") -> str:
    return end.join(codes)


def refused(deck: str | File) -> InvalidDeck:
    with pytest.raises(InvalidDeck) as caught:
        parse_deck(deck)
    return caught.value


def bad_lines(deck: str | File) -> list[int]:
    """Return the numbers of the lines that a refusal complains about."""
    numbers = [re.match(r"line (\d+) ", fault) for fault in refused(deck).faults]
    assert all(numbers)
    return [int(number[1]) for number in numbers if number]


# ---- A card is a rank and a suit ----------------------------------------------------------


def test_a_deck_has_52_cards_four_suits_of_thirteen_ranks() -> None:
    assert len(FULL_DECK) == 52
    assert {card.value for card in FULL_DECK} == set(CODES)
    assert [rank.value for rank in Rank] == list(RANKS)
    assert {suit.value for suit in Suit} == set(SUITS)


@pytest.mark.parametrize("code", CODES)
def test_a_card_is_its_code_and_knows_its_rank_and_suit(code: str) -> None:
    card = Card(code)
    assert card == code
    assert isinstance(card, str)
    assert card is Card(code)
    assert (card.rank, card.suit) == (Rank(code[0]), Suit(code[1]))
    assert card.name_in_words == f"{RANKS[code[0]]} of {SUITS[code[1]]}"


def test_the_sheets_example_is_the_ten_of_hearts() -> None:
    assert Card("TH").name_in_words == "ten of hearts"


@pytest.mark.parametrize("code", ["", "T", "HT", "10H", "1H", "0H", "XH", "TX", "th", "TH ", "xx"])
def test_no_other_text_is_a_card(code: str) -> None:
    with pytest.raises(ValueError, match="not a valid Card"):
        Card(code)


def test_a_card_has_no_value_and_no_side() -> None:
    """What it is worth, and whether it lies face up, are rules of a game."""
    public = {name for name in vars(Card.ACE_OF_SPADES) if not name.startswith("_")}
    assert public == {"rank", "suit", "name_in_words"}


# ---- Shuffling is the one place for luck ---------------------------------------------------


def test_shuffling_takes_the_order_that_the_generator_makes_and_nothing_else_of_it() -> None:
    """The generator here can do nothing but shuffle, and shuffles by turning the order round."""
    given_to: list[list[Card]] = []

    def turn_round(cards: list[Card]) -> None:
        given_to.append(list(cards))
        cards.reverse()

    rng = cast("random.Random", SimpleNamespace(shuffle=turn_round))
    assert shuffled(FULL_DECK, rng) == tuple(reversed(FULL_DECK))
    assert given_to == [list(FULL_DECK)]


@given(st.lists(st.sampled_from(FULL_DECK), unique=True), st.integers())
@settings(deadline=None)
def test_shuffling_keeps_the_cards_and_leaves_the_old_order_alone(
    cards: list[Card], seed: int
) -> None:
    before = list(cards)
    after = shuffled(cards, random.Random(seed))
    assert isinstance(after, tuple)
    assert sorted(after) == sorted(before)
    assert cards == before


def test_shuffling_depends_on_the_generator_alone() -> None:
    orders = [shuffled(FULL_DECK, random.Random(seed)) for seed in (1, 2, 1)]
    assert orders[0] == orders[2] != orders[1]
    assert shuffled((), random.Random(1)) == ()
    assert shuffled(iter([Card.ACE_OF_SPADES]), random.Random(1)) == (Card.ACE_OF_SPADES,)


# ---- Deck files that are accepted ----------------------------------------------------------


@pytest.mark.parametrize("end", ["\n", "\r\n"], ids=["LF", "CRLF"])
@pytest.mark.parametrize("last", ["ended", "open"])
@pytest.mark.parametrize("case", [str.upper, str.lower, str.title], ids=["KS", "ks", "Ks"])
@pytest.mark.parametrize("blanks", ["{}", "{}  ", " {}", "\t{} \t"])
def test_a_deck_file_is_read_top_card_first(end: str, last: str, case: Any, blanks: str) -> None:
    """S0-32, A0-22, A0-23: line ends, case and blanks around a code do not matter."""
    codes = CODES[::-1]
    text = lines_of((blanks.format(case(code)) for code in codes), end)
    if last == "ended":
        text += end
    for deck in (text, File("deck.txt", text.encode())):
        assert parse_deck(deck) == tuple(map(Card, codes))


def test_line_ends_and_cases_may_be_mixed() -> None:
    pieces = ["KS\r\n", "jH\n", "\tQs \r\n", " aH\n"]
    rest = [code for code in CODES if code not in ("KS", "JH", "QS", "AH")]
    cards = parse_deck("".join(pieces) + "\r\n".join(rest))
    assert [card.value for card in cards] == ["KS", "JH", "QS", "AH", *rest]


def test_the_sheets_shuffled_deck() -> None:
    cards = parse_deck(File("shuffledDeck.txt", (DECKS / "shuffledDeck.txt").read_bytes()))
    assert [card.value for card in cards[:4]] == ["KS", "JH", "QS", "AH"]
    assert [card.value for card in cards[-4:]] == ["JS", "8D", "2S", "KH"]
    assert sorted(cards) == sorted(CODES)


@given(st.integers())
@settings(deadline=None)
def test_every_order_written_in_any_way_is_read_back(seed: int) -> None:
    rng = random.Random(seed)
    codes = rng.sample(CODES, 52)
    written = [
        rng.choice(["", " ", "\t", " \t "])
        + rng.choice([code, code.lower(), code.title()])
        + rng.choice(["", " ", "\t", "\t  "])
        + rng.choice(["\n", "\r\n"])
        for code in codes
    ]
    if rng.random() < 0.5:
        written[-1] = written[-1].rstrip("\r\n")
    assert parse_deck("".join(written)) == tuple(map(Card, codes))


# ---- Deck files that are refused -----------------------------------------------------------


def test_the_refusal_is_the_literal_sentence_with_the_name() -> None:
    """S0-33, and the sheet's own file: 51 good lines, the king of hearts is missing."""
    error = refused(File("invalid1.txt", (DECKS / "invalid1.txt").read_bytes()))
    assert str(error) == "Cannot populate deck: invalid data in invalid1.txt"
    assert error.args == ("Cannot populate deck: invalid data in invalid1.txt",)
    assert error.name == "invalid1.txt"
    assert isinstance(error, CardGameError)
    assert isinstance(error, ValueError)
    assert bad_lines(File("invalid1.txt", (DECKS / "invalid1.txt").read_bytes())) == [52]


def test_pasted_text_has_a_name_too() -> None:
    assert str(refused("KS")) == "Cannot populate deck: invalid data in the text"


def test_fifty_one_lines_are_one_too_few() -> None:
    assert bad_lines(lines_of(CODES[:51])) == [52]
    assert bad_lines(lines_of(CODES[:51]) + "\n") == [52]


@pytest.mark.parametrize("extra", ["AC", "ac", " aC\t", "XX", "", " ", "AC AC", "# end", "\t"])
def test_nothing_may_come_after_52_cards(extra: str) -> None:
    """A0-24: more than 52 valid lines, or 52 and junk; A0-22: an empty line is no line end."""
    assert bad_lines(lines_of([*CODES, extra]) + "\n") == [53]


@pytest.mark.parametrize("extra", [1, 2, 1000])
def test_many_further_cards_are_all_refused(extra: int) -> None:
    further = [CODES[number % 52] for number in range(extra)]
    assert bad_lines(lines_of([*CODES, *further])) == list(range(53, 53 + extra))


@pytest.mark.parametrize("again", ["KS", "ks", "Ks", "kS", "  KS  "])
def test_the_same_card_twice_is_refused_in_any_case(again: str) -> None:
    """S0-34, A0-23. Line 1 is the card; line 30 has it again; so one card is missing."""
    codes = ["KS", *(code for code in CODES if code != "KS")]
    codes[29] = again
    assert bad_lines(lines_of(codes)) == [30]
    fault = refused(lines_of(codes)).faults[0]
    assert "line 1 " in fault


@pytest.mark.parametrize("place", [1, 2, 26, 52])
@pytest.mark.parametrize(
    "line",
    [
        "",  # empty
        "   ",
        "K",  # too short
        "10S",  # too long
        "K S",
        "KS KH",
        "KS,",
        "[ KS ]",
        "SK",  # suit and rank in the wrong places
        "1S",  # no such rank
        "0S",
        "XS",
        "KX",  # no such suit
        "xx",
        "K\0",
        "\0\0",
        "K\N{BLACK SPADE SUIT}",
        "K\N{LATIN SMALL LETTER LONG S}",  # its capital is S
        "\N{KELVIN SIGN}S",  # its small letter is k
        "\N{FULLWIDTH DIGIT TWO}S",
        "\N{ARABIC-INDIC DIGIT TWO}S",
        "\N{LATIN SMALL LIGATURE ST}",  # its capitals are two characters
        "KS\N{NO-BREAK SPACE}",  # only blanks and tabs may stand around a code
        "KS\v",
        "KS\f",
        "KS\N{LINE SEPARATOR}",
        "KS\N{NEXT LINE}",
    ],
)
def test_one_bad_line_is_named_by_its_number(line: str, place: int) -> None:
    codes = [*CODES]
    codes[place - 1] = line
    assert bad_lines(lines_of(codes) + "\n") == [place]
    assert bad_lines(File("deck.txt", lines_of(codes, "\r\n").encode())) == [place]


def test_an_empty_line_between_two_cards_is_bad_data_even_with_52_cards() -> None:
    codes = [*CODES[:10], "", *CODES[10:]]
    assert bad_lines(lines_of(codes)) == [11]
    assert bad_lines("\n" + lines_of(CODES)) == [1]
    assert bad_lines(lines_of(CODES) + "\n\n") == [53]
    assert bad_lines(lines_of(CODES, "\n\n"))[:2] == [2, 4]


@pytest.mark.parametrize("deck", ["", File("empty.txt", b"")], ids=["text", "file"])
def test_nothing_is_no_deck(deck: str | File) -> None:
    assert bad_lines(deck) == [1]


def test_all_bad_lines_are_named_in_order() -> None:
    codes = [*CODES]
    codes[4], codes[9], codes[51] = "ZZ", "", "AC"
    assert bad_lines(lines_of(codes)) == [5, 10, 52]


@pytest.mark.parametrize(
    "content",
    [b"\xff\xfe" + "\n".join(CODES).encode("utf-16-le"), b"K\xff\n", b"\x80" * 200, b"AC\n\xc3"],
)
def test_bytes_that_are_no_text_are_refused(content: bytes) -> None:
    """A0-26: what cannot be decoded is invalid data."""
    error = refused(File("picture.png", content))
    assert str(error) == SENTENCE + "picture.png"
    assert len(error.faults) == 1


@pytest.mark.parametrize(
    "name",
    [
        "a\nb.txt",
        "a\r\nSet-Cookie: x.txt",
        "\x1b[31mred.txt",
        "nul\0.txt",
        "\N{RIGHT-TO-LEFT OVERRIDE}txt.kced",
        "para\N{PARAGRAPH SEPARATOR}graph",
        "zero\N{ZERO WIDTH SPACE}width",
        "\ud800",
    ],
)
@pytest.mark.parametrize("content", [b"KS", b"\xff"], ids=["bad", "undecodable"])
def test_a_name_with_control_characters_is_shown_without_them(name: str, content: bytes) -> None:
    error = refused(File(name, content))
    shown = str(error).removeprefix(SENTENCE)
    assert shown != str(error)
    assert shown.isprintable()
    shown.encode()
    assert len(shown) == len(name)
    assert all(new == old for new, old in zip(shown, name, strict=True) if old.isprintable())


def test_a_name_in_any_language_is_shown_as_it_is() -> None:
    name = "mäßig gemischt, 牌.txt"
    assert str(refused(File(name, b""))) == SENTENCE + name


# ---- No refusal names a card ---------------------------------------------------------------

_NEAR_CODES = st.one_of(
    st.sampled_from([*CODES, *map(str.lower, CODES)]),
    st.text("A23456789TJQKCDHSackdhsxX01 \t", max_size=4),
    st.text(max_size=6),
    st.just(""),
)


@given(st.lists(_NEAR_CODES, max_size=70), st.sampled_from(["\n", "\r\n", "\r", " ", ""]))
@example(CODES, "\n")
@example(CODES + CODES, "\n")
@example([code * 2 for code in CODES], "\n")
@example([f"{one[0]}{other}" for one, other in pairwise(CODES)], "\n")
@settings(deadline=None)
def test_a_refusal_never_names_a_card(lines: list[str], end: str) -> None:
    """It may stand on a page with a card face down, which the file may name."""
    text = lines_of(lines, end)
    in_order = [line.strip(" \t").upper() for line in lines]
    for deck in (text, File("my deck", text.encode(errors="surrogatepass"))):
        if sorted(in_order) == sorted(CODES) and end.strip(" "):
            assert parse_deck(deck) == tuple(map(Card, in_order))
            continue
        error = refused(deck)
        assert error.faults
        for sentence in (str(error), *error.faults):
            assert A_CODE.search(sentence) is None
            assert not any(f" of {suit}" in sentence for suit in SUITS.values())
            assert sentence.isprintable()


@given(st.binary(max_size=400))
@settings(deadline=None)
def test_any_bytes_are_a_deck_or_refused(content: bytes) -> None:
    error = refused(File("my deck", content))
    assert str(error) == SENTENCE + "my deck"
    assert not any(A_CODE.search(fault) for fault in error.faults)
