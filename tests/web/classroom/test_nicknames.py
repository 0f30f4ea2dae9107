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


NAMES = """Jürgen Groß|Zoë|Éloïse François|Gülşen|İlker Çağlayan|Łukasz|Ștefan|Dvořák|Nguyễn Thị Ánh
Əli|Jean-Luc 2|D'Arcy|J.R. Smith|42|Νίκος Παππάς|Наталья|Алёна|Олексій|Արամ|თამარ|דָּוִד|محمد علي
فاطمة|हिमांशु|ছোটন|சுப்பிரமணியன்|ณัฐวุฒิ|ប៊ុនធឿន|ကျော်ဇော|ሰላም|王小明|山田太郎|佐々木ケン|さくら|김민준"""


def test_names_of_the_world_are_accepted(free: Room) -> None:
    names = NAMES.replace("\n", "|").split("|")
    assert [name_given(free, name) for name in names] == names


INVISIBLE = ["\ufe0f", "\u034f", "\u3164", "\u2800", "\u17b4", "\u180b", "\U000e0100"]


@pytest.mark.parametrize("sign", INVISIBLE, ids=ascii)
def test_what_shows_nothing_makes_no_second_name(free: Room, sign: str) -> None:
    name_given(free, "Ann")
    for name in (f"Ann{sign}", f"A{sign}nn", f"{sign}Ann", sign * 2, f"{sign} {sign}"):
        assert refusal(free.visitor().post("/join", name=name)) == RULE


REFUSED = {
    "length": ["x", "y" * 25, "--", "' ."],
    "invisible": ["a\u200bb", "\u0301\u0301", "\u0640\u0640\u0645"],
    "accents over the lines around": ["Ann\u0301\u0301\u0301\u0301", "A" + "\u0301" * 900],
    "two alphabets": ["\u0410nn", "\u0391nn", "\u0251nn", "\u01c0\u01c0", "Ann \u0661"],
    "signs": ["A_n"],
}


@pytest.mark.parametrize("why", REFUSED)
def test_other_names_are_refused_with_the_rule(free: Room, why: str) -> None:
    for name in REFUSED[why]:
        assert refusal(free.visitor().post("/join", name=name)) == RULE, ascii(name)


@pytest.mark.parametrize("sign", INVISIBLE[2:4], ids=ascii)
def test_a_real_name_can_be_seen(school: flask.Flask, sign: str) -> None:
    room = open_room(school, real="must")
    phone = room.visitor()
    offer = phone.json()["offers"][0]
    answer = phone.post("/join", offer=offer, real=sign * 5)
    assert refusal(answer) == "A real name has at most 80 characters, all of them visible."
    assert phone.post("/join", offer=offer, real="Иван Smith-王").status_code == 200


ALIKE = {
    "Zoë": "zoe",
    "Straße": "STRASSE",
    "Ann-B": "Ann B.",
    "O\u2019Neill": "O'Neill",
    "\ufb01nch": "Finch",
    "I\u015f\u0131k": "isik",
    "Player 1": "Player l",
    # Of Unicode's list of confusable letters: whole names in another alphabet.
    "Abe": "\u0410\u0432\u0435",
    "Jessica": "\u0408\u0435\u0455\u0455\u0456\u0441\u0430",
    "TIM": "\u03a4\u0399\u039c",
    "\u0422\u041e\u041c": "\u03a4\u039f\u039c",  # Cyrillic and Greek
}


def test_names_that_look_alike_are_one(free: Room) -> None:
    for first, second in ALIKE.items():
        name_given(free, first)
        assert "was just taken" in refusal(free.visitor().post("/join", name=second)), first


@pytest.mark.parametrize(
    ("first", "second"),
    [("Neil", "Nell"), ("राम", "रमा"), ("王明", "王朋")],
)
def test_other_names_are_two(free: Room, first: str, second: str) -> None:
    assert [name_given(free, name) for name in (first, second)] == [first, second]
