"""Nicknames of one's own: what is accepted, and which two are one."""

import flask
import pytest

from tests.support.classroom import Room, open_room, refusal

RULE = (
    "A nickname has 2 to 24 characters: letters of one alphabet, the digits 0 to 9, single "
    "spaces, hyphens, apostrophes and full stops."
)


@pytest.fixture
def free(school: flask.Flask) -> Room:
    """A class in which nicknames are free."""
    return open_room(school, nicknames="free")


def name_given(room: Room, name: str) -> str:
    """Join under a name, and return the nickname."""
    answer = room.visitor().post("/join", name=name)
    assert answer.status_code == 200, answer.text
    given: str = answer.get_json()["student"]["name"]
    return given


# ---- What is accepted ----------------------------------------------------------------------

NAMES = """Jürgen Groß|Zoë|Éloïse François|Gülşen|İlker Çağlayan|Łukasz|Ștefan|Dvořák|Nguyễn Thị Ánh
Əli|Jean-Luc 2|D'Arcy|J.R. Smith|42|Νίκος Παππάς|Наталья|Алёна|Олексій|Արամ|თამარ|דָּוִד|محمد علي
فاطمة|हिमांशु|ছোটন|சுப்பிரமணியன்|ณัฐวุฒิ|ប៊ុនធឿន|ကျော်ဇော|ሰላም|王小明|山田太郎|佐々木ケン|さくら|김민준"""


def test_names_of_the_world_are_accepted(free: Room) -> None:
    names = NAMES.replace("\n", "|").split("|")
    assert [name_given(free, name) for name in names] == names


@pytest.mark.parametrize(
    ("sent", "shown"),
    [
        ("  Ann \t  B ", "Ann B"),
        ("O\u2019Neill", "O'Neill"),  # as a phone's keyboard has it
        ("Ren\u0065\u0301", "Ren\u00e9"),
        ("\uff21\uff4e\uff4e", "Ann"),
        ("Jean\u2011Luc", "Jean-Luc"),
    ],
)
def test_spellings_of_one_name_are_shown_alike(free: Room, sent: str, shown: str) -> None:
    assert name_given(free, sent) == shown


INVISIBLE = ["\ufe0f", "\u034f", "\u3164", "\u2800", "\u17b4", "\u180b", "\U000e0100"]


@pytest.mark.parametrize("sign", INVISIBLE, ids=ascii)
def test_what_shows_nothing_makes_no_second_name(free: Room, sign: str) -> None:
    name_given(free, "Ann")
    for name in (f"Ann{sign}", f"A{sign}nn", f"{sign}Ann", sign * 2, f"{sign} {sign}"):
        assert refusal(free.visitor().post("/join", name=name)) == RULE


@pytest.mark.parametrize(
    "name",
    [
        "x",
        "y" * 25,
        "y" * 900,
        "   ",
        "--",
        "' .",
        "a\u200bb",
        "a\u202eb",
        "ab\n\x00",
        "\u2066ab",
        "a\ue000",
        "\u0301\u0301",
        "a\u00adb",
        "Ann\u0301\u0301\u0301\u0301",  # accents over the lines around
        "A" + "\u0301" * 900,
        "\u0410nn",  # one letter Cyrillic
        "Ann\u0430",
        "\u0391nn",  # one Greek
        "\u0251nn",  # a phonetic letter
        "\u1d00nn",
        "\u01c0\u01c0",  # two clicks, which look like l or I
        "Ann \u0661",  # a digit of another alphabet
        "\u0640\u0640\u0645",  # what only stretches the line
        "\u1160\uac00",
        "Ann \U0001f642",
        "A_n",
        "<b>",
    ],
    ids=lambda name: ascii(name)[:20],
)
def test_other_names_are_refused_with_the_rule(free: Room, name: str) -> None:
    assert refusal(free.visitor().post("/join", name=name)) == RULE


def test_the_page_says_the_rule_before_anybody_tries(free: Room) -> None:
    page = free.visitor().get().text
    assert RULE.replace("'", "&#39;") in page
    free.newcomer()
    assert free.try_move("rename", student=1, name="A_n").get_json()["error"] == RULE


@pytest.mark.parametrize("sign", INVISIBLE[2:4], ids=ascii)
def test_a_real_name_can_be_seen(school: flask.Flask, sign: str) -> None:
    room = open_room(school, real="must")
    phone = room.visitor()
    offer = phone.json()["offers"][0]
    answer = phone.post("/join", offer=offer, real=sign * 5)
    assert refusal(answer) == "A real name has at most 80 characters, all of them visible."
    assert phone.post("/join", offer=offer, real="Иван Smith-王").status_code == 200


# ---- Which two are one ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("Zoë", "zoe"),
        ("Straße", "STRASSE"),
        ("Ann B", "annb"),
        ("Ann-B", "Ann B."),
        ("\ufb01nch", "Finch"),
        ("Łuk", "ŁUK"),
        ("I\u015f\u0131k", "isik"),
        ("\uff57ide", "wide"),
        ("Player 1", "Player l"),
        ("Ben 10", "Ben 1O"),
        ("Νίκος", "ΝΙΚΟΣ"),
        # Of Unicode's list of confusable letters: whole names in another alphabet.
        ("Abe", "\u0410\u0432\u0435"),
        ("ABE", "\u0410\u0412\u0415"),
        ("Poxy", "\u0420\u043e\u0445\u0443"),
        ("Jessica", "\u0408\u0435\u0455\u0455\u0456\u0441\u0430"),
        ("TIM", "\u03a4\u0399\u039c"),
        ("Anna", "\u0391\u039d\u039d\u0391"),
        ("\u0422\u041e\u041c", "\u03a4\u039f\u039c"),  # Cyrillic and Greek
    ],
)
def test_names_that_look_alike_are_one(free: Room, first: str, second: str) -> None:
    name_given(free, first)
    assert "was just taken" in refusal(free.visitor().post("/join", name=second))


@pytest.mark.parametrize(
    ("first", "second"),
    [("Neil", "Nell"), ("Ali", "All"), ("Анна", "Яна"), ("राम", "रमा"), ("王明", "王朋")],
)
def test_other_names_are_two(free: Room, first: str, second: str) -> None:
    assert [name_given(free, name) for name in (first, second)] == [first, second]


def test_a_name_is_found_again_however_a_phone_spells_it(free: Room) -> None:
    phone = free.visitor()
    document = phone.post("/join", name="O'Neill").get_json()["student"]
    back = free.visitor().post("/rejoin", name="o\u2019neill", code=document["rejoin"])
    assert back.get_json()["student"]["number"] == document["number"]
