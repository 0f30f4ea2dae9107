"""What pages say once something is over, counted, refused or locked."""

from tests.support.classroom import Room, Watch, call_until_somebody_has_it


def test_a_refused_join_says_why_on_its_page(room: Room) -> None:
    page = room.visitor().post("/join", page=True, offer="Otter Quiet").text
    assert 'role="alert">Choose one of the nicknames that are offered.' in page
    room.move("lock")
    page = room.visitor().post("/join", page=True, offer="Quiet Otter").text
    assert page.count("This class takes nobody new now.") == 1


def test_a_locked_class_is_locked_on_the_big_screen(room: Room) -> None:
    assert "/qr.svg" in room.visitor().get("/projector?show=join").text
    room.move("lock")
    page = room.visitor().get("/projector?show=join").text
    assert "This class takes nobody new now." in page
    assert "/qr.svg" not in page


def test_nothing_is_called_any_more_when_a_round_is_over(room: Room, watch: Watch) -> None:
    room.deal(every="3")
    watch.pass_by(600)
    room.move("end")
    version = room.phones[0].json("/bingo")["version"]
    watch.pass_by(60)
    told = room.phones[0].json("/bingo")
    assert (told["version"], told["round"]["phase"]) == (version, "over")


def test_the_big_screen_names_who_has_it_since_the_round_went_on(room: Room) -> None:
    room.deal(by_hand="Y")
    _, (first, *_) = call_until_somebody_has_it(room)
    assert first.claim().get_json()["right"] is True
    assert first.name in room.visitor().get("/projector?show=round").text
    room.move("go-on")
    other = next(phone for phone in room.phones if phone is not first)
    while not other.claim().get_json()["right"]:
        room.call()
    page = room.visitor().get("/projector?show=round").text
    assert other.name in page
    assert first.name not in page
    assert "place 2" in page


def test_a_claim_on_paper_is_counted_once(room: Room) -> None:
    room.deal(by_hand="Y")
    room.move("paper", cards="20")
    while 'value="claim"' not in (page := room.boss.get("/check?card=20").text):
        assert "Not yet" in page
        room.call()
    assert room.move("claim", card="20")["round"]["phase"] == "bingo"
    assert 'value="claim"' not in room.boss.get("/check?card=20").text
