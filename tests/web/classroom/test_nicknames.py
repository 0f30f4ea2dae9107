"""Students' own nicknames: valid nicknames, and pairs of nicknames that count as equal."""

import flask
import pytest

from cardgames.cards import CardGameError
from tests.support.classroom import open_room, refusal
from web.classroom.people.nicknames import checked_nickname, checked_real_name, name_key

RULE = "A nickname has 2 to 24 characters, all of them visible, and at least one letter or digit."


def key_of(sent: str) -> str:
    """Return the key of a valid nickname, which no other student of the class may have."""
    return name_key(checked_nickname(sent))


def is_rejected(sent: str) -> bool:
    with pytest.raises(CardGameError) as rejected:
        checked_nickname(sent)
    return str(rejected.value) == RULE


def test_nickname_is_cleaned_compared_and_checked_when_joining(school: flask.Flask) -> None:
    room = open_room(school, nicknames="free")
    answer = room.visitor().post("/join", name="A\u200bnn")
    assert answer.get_json()["student"]["name"] == "Ann"
    for taken in ("Ann", "ANN\ufe0f"):
        assert "was just taken" in refusal(room.visitor().post("/join", name=taken))
    assert refusal(room.visitor().post("/join", name="x")) == RULE


NAMES = """Jürgen Groß|Zoë|Éloïse François|Gülşen|İlker Çağlayan|Łukasz|Ștefan|Dvořák|Nguyễn Thị Ánh
Əli|Jean-Luc 2|D'Arcy|J.R. Smith|42|Νίκος Παππάς|Наталья|Алёна|Олексій|Արամ|თამარ|דָּוִד|محمد علي
فاطمة|हिमांशु|ছোটন|சுப்பிரமணியன்|ณัฐวุฒิ|ប៊ុនធឿន|ကျော်ဇော|ሰላም|王小明|山田太郎|佐々木ケン|さくら|김민준
Ann|Anne|राम|रमा|王明|王朋|O2|Q2|A_n|C#|Ann \u0661|Bea \u2764|\u0410lan"""
"""All of these names are different, even if they look similar."""


def test_names_of_the_world_are_accepted() -> None:
    names = NAMES.replace("\n", "|").split("|")
    assert [checked_nickname(name) for name in names] == names
    assert len({key_of(name) for name in names}) == len(names)


INVISIBLE = [
    *("\ufe0f", "\u034f", "\u3164", "\u2800", "\u17b4", "\u180b", "\U000e0100"),
    *("\u200b", "\u200c", "\u200d", "\u200e", "\u202e", "\u2066", "\u00ad", "\ufeff"),
]


@pytest.mark.parametrize("sign", INVISIBLE, ids=ascii)
def test_invisible_marks_make_no_second_name(sign: str) -> None:
    assert checked_nickname(f"A{sign}nn{sign}") == "Ann"
    for name in (f"Ann{sign}", f"A{sign}nn", f"{sign}Ann"):
        assert key_of(name) == key_of("Ann")
    for name in (sign * 2, f"{sign} {sign}"):
        assert is_rejected(name)


REFUSED = {
    "length": ["x", "y" * 25],
    "no letter or digit": ["--", "' .", "\u2764\u2764"],
    "invisible": ["a\x07b", "a\ue000b", "\u0301\u0301"],
    "accents over the lines around": ["Ann" + "\u0301" * 9, "A" + "\u0301" * 900],
}


@pytest.mark.parametrize("why", REFUSED)
def test_other_names_are_rejected_with_the_rule(why: str) -> None:
    assert [name for name in REFUSED[why] if not is_rejected(name)] == []


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


def test_names_with_one_key_are_one() -> None:
    for first, second in ALIKE.items():
        assert key_of(first) == key_of(second)


# ---- Real names ------------------------------------------------------------------------------


def test_real_name_is_cleaned_and_checked_when_joining(school: flask.Flask) -> None:
    room = open_room(school, real="must")
    phone = room.visitor()
    answer = phone.post("/join", offer=phone.json()["offers"][0], real="Ann\x07")
    assert refusal(answer) == "A real name has at most 80 characters, all of them visible."
    assert room.desk()["students"] == []
    phone.join(real="\u200eAn\u200bna Rivera")
    (student,) = room.boss.json("/dashboard?names=yes")["students"]
    assert student["real"] == "Anna Rivera"


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
def test_real_name_keeps_marks_of_its_spelling(name: str) -> None:
    assert checked_real_name(name) == name


@pytest.mark.parametrize(
    "sign",
    ["\u200e", "\u200f", "\u202b", "\u2069", "\u00ad", "\u200b", "\ufeff", "\u200c"],
    ids=ascii,
)
def test_real_name_loses_invisible_marks(sign: str) -> None:
    assert checked_real_name(f"{sign}An{sign}na{sign} Ri{sign}vera{sign}") == "Anna Rivera"


@pytest.mark.parametrize("sent", ["Ann\x07", "Ann\ue000", "x" * 81])
def test_real_name_is_rejected_if_it_cannot_be_seen(sent: str) -> None:
    with pytest.raises(CardGameError, match="A real name has at most 80 characters"):
        checked_real_name(sent)
