"""Students' own nicknames: valid nicknames, and pairs of nicknames that count as equal."""

import flask
import pytest

from tests.support.classroom import Room, open_room, refusal

RULE = "A nickname has 2 to 24 characters, all of them visible, and at least one letter or digit."


@pytest.fixture
def free(school: flask.Flask) -> Room:
    """A class in which students may choose any nickname."""
    return open_room(school, nicknames="free")


def name_given(room: Room, name: str) -> str:
    """Join under a name, and return the nickname."""
    answer = room.visitor().post("/join", name=name)
    assert answer.status_code == 200, answer.text
    given: str = answer.get_json()["student"]["name"]
    return given


NAMES = """Jürgen Groß|Zoë|Éloïse François|Gülşen|İlker Çağlayan|Łukasz|Ștefan|Dvořák|Nguyễn Thị Ánh
Əli|Jean-Luc 2|D'Arcy|J.R. Smith|42|Νίκος Παππάς|Наталья|Алёна|Олексій|Արամ|თამარ|דָּוִד|محمد علي
فاطمة|हिमांशु|ছোটন|சுப்பிரமணியன்|ณัฐวุฒิ|ប៊ុនធឿន|ကျော်ဇော|ሰላም|王小明|山田太郎|佐々木ケン|さくら|김민준
Ann|Anne|राम|रमा|王明|王朋|O2|Q2|A_n|C#|Ann \u0661|Bea \u2764|\u0410lan"""
"""All of these names are different, even if they look similar."""


def test_names_of_the_world_are_accepted(free: Room) -> None:
    names = NAMES.replace("\n", "|").split("|")
    assert [name_given(free, name) for name in names] == names


INVISIBLE = [
    *("\ufe0f", "\u034f", "\u3164", "\u2800", "\u17b4", "\u180b", "\U000e0100"),
    *("\u200b", "\u200c", "\u200d", "\u200e", "\u202e", "\u2066", "\u00ad", "\ufeff"),
]


@pytest.mark.parametrize("sign", INVISIBLE, ids=ascii)
def test_invisible_marks_make_no_second_name(free: Room, sign: str) -> None:
    assert name_given(free, f"A{sign}nn{sign}") == "Ann"
    for name in (f"Ann{sign}", f"A{sign}nn", f"{sign}Ann"):
        assert "was just taken" in refusal(free.visitor().post("/join", name=name))
    for name in (sign * 2, f"{sign} {sign}"):
        assert refusal(free.visitor().post("/join", name=name)) == RULE


REFUSED = {
    "length": ["x", "y" * 25],
    "no letter or digit": ["--", "' .", "\u2764\u2764"],
    "invisible": ["a\x07b", "a\ue000b", "\u0301\u0301"],
    "accents over the lines around": ["Ann" + "\u0301" * 9, "A" + "\u0301" * 900],
}


@pytest.mark.parametrize("why", REFUSED)
def test_other_names_are_rejected_with_the_rule(free: Room, why: str) -> None:
    for name in REFUSED[why]:
        assert refusal(free.visitor().post("/join", name=name)) == RULE, ascii(name)


ALIKE = {
    "Zoë": "zoe",
    "Straße": "STRASSE",
    "Ann-B": "Ann B.",
    "O\u2019Neill": "O'Neill",
    "\ufb01nch": "Finch",
    "Player 1": "Player l",
    "Ian": "lan",
    "O2": "02",
    "BILL": "Bi11",
}


def test_names_with_one_key_are_one(free: Room) -> None:
    for first, second in ALIKE.items():
        name_given(free, first)
        assert "was just taken" in refusal(free.visitor().post("/join", name=second)), first


# ---- Real names ------------------------------------------------------------------------------


@pytest.fixture
def named(school: flask.Flask) -> Room:
    """A class that asks for real names."""
    return open_room(school, real="must")


def real_name_given(room: Room, sent: str) -> str:
    """Join with a real name, and return the name as the instructor sees it."""
    phone = room.visitor()
    phone.join(real=sent)
    students = {one["number"]: one for one in room.boss.json("/dashboard?names=yes")["students"]}
    real: str = students[phone.number]["real"]
    return real


@pytest.mark.parametrize(
    "name",
    [
        "\u0639\u0644\u06cc\u200c\u0631\u0636\u0627",
        "ශ්\u200dරී ලංකා",
        "क्\u200dष",
        "Иван Smith-王",
        "Ann (she/her) #2",
    ],
)
def test_real_name_keeps_marks_of_its_spelling(named: Room, name: str) -> None:
    assert real_name_given(named, name) == name


@pytest.mark.parametrize(
    "sign",
    ["\u200e", "\u200f", "\u202b", "\u2069", "\u00ad", "\u200b", "\ufeff", "\u200c"],
    ids=ascii,
)
def test_real_name_loses_invisible_marks(named: Room, sign: str) -> None:
    assert real_name_given(named, f"{sign}An{sign}na{sign} Ri{sign}vera{sign}") == "Anna Rivera"


@pytest.mark.parametrize("sent", ["Ann\x07", "Ann\ue000", "x" * 81])
def test_real_name_is_rejected_if_it_cannot_be_seen(named: Room, sent: str) -> None:
    phone = named.visitor()
    answer = phone.post("/join", offer=phone.json()["offers"][0], real=sent)
    assert refusal(answer) == "A real name has at most 80 characters, all of them visible."
    assert named.desk()["students"] == []
