"""Deck files: valid files, invalid files, and messages that never name a card."""

import random
import re
import sys
from collections.abc import Callable, Iterable
from itertools import pairwise
from pathlib import Path

import pytest

from cardgames.cards import FULL_DECK, Card, CardGameError, Cards
from cardgames.deck_file import File, InvalidDeck, parse_deck, parse_deck_leniently, skipped_lines
from tests.support.amounts import few_or_all
from tests.support.sentences import translatable

DECKS = Path(__file__).parent.parent / "decks"
CODES = [rank + suit for suit in "CDHS" for rank in "A23456789TJQK"]
A_CODE = re.compile("|".join(CODES))
REFUSED = "Cannot populate deck: invalid data in "

readers = pytest.mark.parametrize("read", [parse_deck, parse_deck_leniently])


def lines_of(codes: Iterable[str], end: str = "\n") -> str:
    return end.join(codes)


def refused(deck: str | File, read: Callable[[str | File], Cards] = parse_deck) -> InvalidDeck:
    with pytest.raises(InvalidDeck) as caught:
        read(deck)
    for sentence in (caught.value.text, *caught.value.errors):
        translatable(sentence)
    return caught.value


def bad_lines(deck: str | File) -> list[int]:
    """Return the numbers of the lines in an error message."""
    numbers = [re.match(r"line (\d+) ", error) for error in refused(deck).errors]
    assert all(numbers)
    return [int(number[1]) for number in numbers if number]


# ---- Valid files ---------------------------------------------------------------------------


@pytest.mark.parametrize("case", [str.upper, str.lower, str.title], ids=["KS", "ks", "Ks"])
@pytest.mark.parametrize("blanks", ["{}", "{}  ", " {}", "\t{} \t"])
def test_a_deck_file_is_read_top_card_first(case: Callable[[str], str], blanks: str) -> None:
    """S0-32, A0-22, A0-23: line endings, case and spaces around a code make no difference."""
    for end in ("\n", "\r\n"):
        text = lines_of((blanks.format(case(code)) for code in CODES[::-1]), end)
        for deck in (
            text,
            text + end,
            File("a.txt", text.encode()),
            File("b.txt", f"{text}{end}".encode()),
        ):
            assert parse_deck(deck) == parse_deck_leniently(deck) == FULL_DECK[::-1]
            assert skipped_lines(deck) == ()


# ---- Invalid files -------------------------------------------------------------------------


def test_the_refusal_is_the_literal_sentence_with_the_name() -> None:
    """S0-33: the sheet's own file has 51 valid lines, because the king of hearts is missing."""
    file = File("invalid1.txt", (DECKS / "invalid1.txt").read_bytes())
    error = refused(file)
    assert error.args == (REFUSED + "invalid1.txt",)
    assert (str(error), error.name) == (error.text, "invalid1.txt") == (error.args[0], error.name)
    assert error.errors == ("line 52 is missing: a deck has 52 cards, one on each line",)
    assert isinstance(error, CardGameError)
    assert isinstance(error, ValueError)
    assert str(refused("KS")) == REFUSED + "the text"


@pytest.mark.parametrize("again", ["KS", "ks", "Ks", "kS", "  KS  "])
def test_the_same_card_twice_is_refused_in_any_case(again: str) -> None:
    """S0-34, A0-23: lines 1 and 30 contain the same card, so another card is missing."""
    codes = ["KS", *(code for code in CODES if code != "KS")]
    codes[29] = again
    assert bad_lines(lines_of(codes)) == [30]
    assert "the card of line 1" in refused(lines_of(codes)).errors[0]


@pytest.mark.parametrize(
    "line",
    [
        *("", "   ", "K", "10S", "K S", "KS KH", "KS,", "[ KS ]"),
        "SK",  # suit and rank are swapped
        *("1S", "0S", "XS", "KX", "xx", "K\0", "\0\0"),  # there is no such rank or suit
        "K\N{BLACK SPADE SUIT}",
        "K\N{LATIN SMALL LETTER LONG S}",  # its upper case is S
        "\N{KELVIN SIGN}S",  # its lower case is k
        "\N{FULLWIDTH DIGIT TWO}S",
        "\N{ARABIC-INDIC DIGIT TWO}S",
        "\N{LATIN SMALL LIGATURE ST}",  # its upper case is two characters
        "KS\N{NO-BREAK SPACE}",  # only spaces and tabs are allowed around a code
        *("KS\v", "KS\f", "KS\N{LINE SEPARATOR}", "KS\N{NEXT LINE}"),
    ],
)
def test_one_bad_line_is_named_by_its_number(line: str) -> None:
    for place in (1, 2, 26, 52):
        text = lines_of([*CODES[: place - 1], line, *CODES[place:]]) + "\n"
        assert bad_lines(text) == bad_lines(File("deck.txt", text.encode())) == [place]
        assert skipped_lines(text) == (place,)


# ---- The Bingo sheet's format --------------------------------------------------------------


def test_invalid_line_is_left_out_and_reported_by_number() -> None:
    """S4-39, A4-21: the line is skipped with a message, and the other 52 cards keep their order."""
    text = lines_of(["??", *CODES[:30], "", "10S", *CODES[30:], "# end"])
    assert parse_deck_leniently(text) == FULL_DECK
    assert skipped_lines(text) == (1, 32, 33, 56)


@pytest.mark.parametrize(
    ("codes", "errors"),
    [
        (CODES[:51], ("the deck has 51 different cards, but must have 52 cards",)),
        ([*CODES[:51], "AC"], ("line 52 repeats the card of line 1", "the deck has 51 different")),
        ([*CODES, "AC"], ("line 53 repeats the card of line 1", "the deck has 52 different cards")),
        (["?", *CODES[:51]], ("line 1 has 1 character: ", "the deck has 51 different cards")),
        ([], ("the deck has 0 different cards, but must have 52 cards",)),
    ],
)
def test_remaining_lines_must_be_52_different_cards(
    codes: list[str], errors: tuple[str, ...]
) -> None:
    """S4-40, A4-16, A4-17, A4-20: the message is the sheet's own, without a full stop."""
    error = refused(File("b.txt", lines_of(codes).encode()), parse_deck_leniently)
    assert str(error) == "Deck created from b.txt is not valid"
    assert len(error.errors) == len(errors)
    for found, beginning in zip(error.errors, errors, strict=True):
        assert found.startswith(beginning)


# ---- Names and bytes -----------------------------------------------------------------------


@readers
@pytest.mark.parametrize(
    "content",
    [b"K\xff\n", b"\x80" * 200, b"AC\n\xc3"],
)
def test_binary_files_are_rejected(content: bytes, read: Callable[[str | File], Cards]) -> None:
    """A0-26: a file that cannot be decoded is invalid data."""
    error = refused(File("picture.png", content), read)
    assert "picture.png" in str(error)
    assert error.errors == ("the file is not a text file",)


@readers
@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be"])
def test_utf_16_is_named(encoding: str, read: Callable[[str | File], Cards]) -> None:
    """Windows PowerShell 5.1 uses this encoding when it redirects output with ``>``."""
    error = refused(File("deck.txt", lines_of(CODES).encode(encoding)), read)
    assert error.errors == ("the file is saved as UTF-16: save it as UTF-8",)


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("Q♦", "line 1 has the suit '♦': a suit is one of C D H S"),
        ("Ω♠", "line 1 has the rank 'Ω': a rank is one of A 2 3 4 5 6 7 8 9 T J Q K"),
        ("KS\N{NO-BREAK SPACE}", "line 1 has an invisible character, no-break space: delete it"),
        (
            "\N{ZERO WIDTH SPACE}KS",
            "line 1 has an invisible character, zero width space: delete it",
        ),
        ("K\x07", "line 1 has an invisible character, u+0007: delete it"),
    ],
)
def test_odd_characters_are_shown_readably(line: str, expected: str) -> None:
    error = refused(File("deck.txt", lines_of([line, *CODES[1:]]).encode()))
    assert str(error.errors[0]) == expected


@readers
def test_a_deck_is_at_most_4000_characters_long(read: Callable[[str | File], Cards]) -> None:
    text = lines_of(CODES).ljust(4_000)
    for deck, longer in ((text, text + " "), (File("a", text.encode()), File("a", b" " * 4_001))):
        assert read(deck) == FULL_DECK
        errors = refused(longer, read).errors
        assert errors == ("the deck is too long: a deck has at most 4000 characters",)


def test_an_invisible_mark_is_named() -> None:
    (error,) = refused("\ufeff" + lines_of(CODES)).errors
    assert error.endswith("byte-order mark: save the file as UTF-8 without it")


# ---- No message names a card ---------------------------------------------------------------

FILES_OF_CODES = [
    (CODES, "\n"),
    (CODES + CODES, "\n"),
    ([code * 2 for code in CODES], "\n"),
    ([f"{one[0]}{other}" for one, other in pairwise(CODES)], "\n"),
]


def random_file(rng: random.Random) -> tuple[list[str], str]:
    """Return lines that are codes, almost codes or any text, and the end of each line."""
    like_codes, any_text = "A23456789TJQKCDHSackdhsxX01 \t", range(sys.maxunicode + 1)
    lines = [
        rng.choice(
            (
                rng.choice(CODES),
                rng.choice(CODES).lower(),
                "".join(rng.choices(like_codes, k=rng.randrange(5))),
                "".join(
                    map(chr, rng.choices(rng.choice((range(256), any_text)), k=rng.randrange(7)))
                ),
            )
        )
        for _ in range(rng.randrange(71))
    ]
    return lines, rng.choice(("\n", "\r\n", "\r", " ", ""))


@few_or_all("number", 100, 5_000)
def test_a_refusal_never_names_a_card(number: int) -> None:
    """The message may appear on a page that shows a card of the file face down."""
    rng = random.Random(52)
    for lines, end in (*FILES_OF_CODES, *(random_file(rng) for _ in range(number))):
        check_refusals(lines, end)


def check_refusals(lines: list[str], end: str) -> None:
    text = lines_of(lines, end)
    in_order = [line.strip(" \t").upper() for line in lines]
    whole = sorted(in_order) == sorted(CODES) and end.strip(" ")
    for deck in (text, File("my deck", text.encode(errors="surrogatepass"))):
        for read in (parse_deck, parse_deck_leniently):
            try:
                cards = read(deck)
            except InvalidDeck as error:
                sentences = (str(error), *error.errors)
            else:
                assert set(cards) == set(FULL_DECK)
                assert read is parse_deck_leniently or cards == tuple(map(Card, in_order))
                continue
            assert not whole
            assert len(sentences) > 1
            for sentence in sentences:
                assert A_CODE.search(sentence) is None
                assert not re.search(" of (clubs|diamonds|hearts|spades)", sentence)
                assert sentence.isprintable()
