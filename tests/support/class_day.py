"""A class day, recorded: the site's answers to about a thousand requests.

``python tests/support/class_day.py record FILE`` plays the day in the checkout that is the current
folder, and ``compare OLD NEW`` prints the differences between two recordings. It imports nothing of
the site but ``create_app``, so an older checkout can be recorded with the same script. Randomness
depends only on the number of the request, and the clock moves only with the requests, so two
recordings of the same behaviour are equal, whatever the code behind it looks like. Pages are
compared as their readers meet them: by text, pictures, links and forms, not by markup.
"""

import difflib
import io
import json
import os
import random
import re
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from hashlib import shake_256
from html.parser import HTMLParser
from pathlib import Path
from typing import Any, Final

JSON: Final = {"Accept": "application/json"}
GERMAN: Final = {"Accept-Language": "de"}
START: Final = 1_795_510_800.0  # 24 November 2026, 09:00 UTC
_PACE: Final = 0.1
"""Seconds from one request to the next."""

RANKS: Final = "A23456789TJQK"
FULL_DECK: Final = [rank + suit for suit in "CDHS" for rank in RANKS]
HEADERS: Final = (
    *("Content-Type", "Location", "Cache-Control", "Vary", "Retry-After", "Content-Disposition"),
    *("Content-Security-Policy", "Preference-Applied", "Allow", "X-Robots-Tag", "Content-Language"),
)


def stacked(first: str) -> str:
    """Return a deck file that begins with some cards."""
    codes = first.split()
    return "\n".join([*codes, *(card for card in FULL_DECK if card not in codes)])


class Chance:
    """Random bytes that depend on the request and on how many of a length it has drawn."""

    def __init__(self) -> None:
        """Begin before the first request."""
        self.request = 0
        self._drawn: dict[int, int] = {}

    def next_request(self) -> None:
        """Begin the next request."""
        self.request += 1
        self._drawn = {}

    def __call__(self, size: int) -> bytes:
        """Return random bytes."""
        number = self._drawn[size] = self._drawn.get(size, 0) + 1
        return shake_256(f"{self.request} {size} {number}".encode()).digest(size)


class Recording:
    """The requests of the day, with their answers."""

    def __init__(self, app: Any, chance: Chance) -> None:
        """Begin with an empty recording of a site."""
        self.app, self.chance = app, chance
        self.answers: list[dict[str, Any]] = []
        self.aliases: dict[str, str] = {}
        """The site's random codes and names, with their replacements in a recording."""

    def browser(self, name: str) -> "Browser":
        """Return a new browser without a cookie."""
        return Browser(name, self.app.test_client(), self)

    def alias(self, value: str, name: str) -> None:
        """Write a name in place of a value that the site has chosen."""
        self.aliases[value] = name

    def normal(self, text: str) -> str:
        """Return a text without the parts that depend on chance, time or the version."""
        for value in sorted(self.aliases, key=len, reverse=True):
            text = text.replace(value, self.aliases[value])
            text = text.replace(value.upper(), self.aliases[value])
        text = re.sub(r"/static/[0-9A-Za-z_.-]+/", "/static/VERSION/", text)
        text = re.sub(r"\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d)?([+Z][0-9:]*)?", "TIME", text)
        return re.sub(r"nonce-[\w+/=-]+", "nonce", text)


class Browser:
    """A browser of a class day; it knows the step of each page it has seen."""

    def __init__(self, name: str, client: Any, recording: Recording) -> None:
        """Open a window."""
        self.name, self.client, self.recording = name, client, recording

    def send(
        self,
        path: str,
        form: Mapping[str, Any] | None = None,
        headers: Mapping[str, str] | None = None,
        method: str = "",
        **more: Any,
    ) -> Any:
        """Send a request and record its answer; return the answer."""
        recording, method = self.recording, method or ("GET" if form is None else "POST")
        recording.chance.next_request()
        sent = {**(form or {})}
        data = {k: (io.BytesIO(v[0]), v[1]) if isinstance(v, tuple) else v for k, v in sent.items()}
        had = self.client.get_cookie(self.client.application.config["SESSION_COOKIE_NAME"])
        answer = self.client.open(
            path, method=method, data=data if form is not None else None, headers=headers, **more
        )
        has = self.client.get_cookie(self.client.application.config["SESSION_COOKIE_NAME"])
        shown = {k: v[1] if isinstance(v, tuple) else str(v)[:60] for k, v in sent.items()}
        recording.answers.append(
            {
                "number": recording.chance.request,
                "browser": self.name,
                "request": recording.normal(f"{method} {path}"),
                "form": {key: recording.normal(value) for key, value in shown.items()},
                "sent_headers": dict(headers or {}),
                "status": answer.status_code,
                "cookie": "set" if "Set-Cookie" in answer.headers else "",
                "cookie_value": "new" if (has and has.value) != (had and had.value) else "",
                "headers": {
                    name: recording.normal(answer.headers[name])
                    for name in HEADERS
                    if name in answer.headers
                },
                "body": answer.get_data(as_text=True)
                if "image" not in answer.content_type and "zip" not in answer.content_type
                else "",
            }
        )
        return answer

    def get(self, path: str, **headers: str) -> Any:
        """Ask for a page."""
        return self.send(path, headers=headers)

    def all_ways(self, *paths: str) -> None:
        """Ask for addresses as an English, a German browser and a program do."""
        for path in paths:
            for headers in ({}, GERMAN, JSON):
                self.send(path, headers=headers)

    def json(self, path: str) -> Any:
        """Ask for a document; None where there is none."""
        return self.send(path, headers=JSON).get_json(silent=True)

    def post(self, path: str, headers: Any = JSON, **form: Any) -> Any:
        """Send a form."""
        return self.send(path, form, headers)

    def move(self, path: str, name: str, headers: Any = JSON, **form: Any) -> Any:
        """Make a move at the step that a page is at now."""
        table = self.client.get(path, headers=JSON).get_json(silent=True) or {}
        return self.send(path, {"move": name, "step": table.get("step", 0), **form}, headers)


# ---- The day -------------------------------------------------------------------------------------


def visit(day: Recording) -> None:
    """Look at everything without having played."""
    looker = day.browser("looker")
    looker.all_ways("/", "/simple-21", "/blackjack", "/one-deck", "/war", "/bingo")
    for slug in ("simple-21", "blackjack", "one-deck", "war", "bingo"):
        looker.all_ways(f"/{slug}/rules", f"/{slug}/history")
    looker.all_ways("/settings", "/history", "/daily", "/deals", "/puzzles", "/lab", "/sheets")
    looker.all_ways("/class", "/j", "/healthz", "/nowhere", "/simple-21/nowhere")
    looker.get("/simple-21/odds", **JSON)


def twenty_one(day: Recording) -> None:
    """Play the tables of twenty-one: every phase, language, refusal."""
    amy, looker = day.browser("amy"), day.browser("looker")
    deck = stacked("TC TD 6C 9H 2S 3S KH")
    amy.move("/simple-21", "deal", deck=deck)
    amy.all_ways("/simple-21", "/", "/simple-21/odds")
    amy.move("/simple-21", "hit")
    amy.move("/simple-21", "hit", {})
    amy.move("/simple-21", "stay", {**GERMAN, "Prefer": "return=representation"})
    amy.all_ways("/simple-21", "/simple-21/history", "/simple-21/history/1", "/history")
    for kind in ("history.json", "history.csv", "transcript"):
        amy.get(f"/simple-21/{kind}")
    amy.move("/simple-21", "deal")
    amy.move("/simple-21", "stay")
    amy.all_ways("/simple-21/history?result=tie", "/simple-21/history?result=player&page=1")
    history = amy.client.get("/simple-21/history", headers=JSON).get_json()
    for one in history["rounds"][:2]:
        for link in [value for value in one.values() if str(value).startswith("/")]:
            amy.all_ways(link)
            looker.get(link)
    refusals(amy)
    amy.post("/coach", table="simple-21", mode="before")
    amy.post("/coach", {}, table="blackjack", mode="after")
    blackjack = stacked("AS KC 9D 5H 2S 3S KH 4C")
    amy.move("/blackjack", "deal", {}, deck=(blackjack.encode(), "deck.txt"))
    amy.all_ways("/blackjack", "/blackjack/odds")
    amy.move("/blackjack", "deal")  # gives the round up
    amy.move("/blackjack", "stay")
    amy.all_ways("/blackjack", "/blackjack/history", "/blackjack/history/1", "/blackjack/what-if")
    amy.post("/coach", table="blackjack", mode="both")
    amy.post("/coach", table="blackjack", mode="before")
    amy.move("/blackjack", "deal", deck=stacked("TC TD 6C 9H 2S 3S KH"))
    amy.all_ways("/blackjack")
    amy.move("/blackjack", "hit")
    amy.all_ways("/blackjack")
    amy.move("/blackjack", "new")
    amy.move("/one-deck", "deal", deck=stacked("2C 3C 4C 5C"))
    amy.all_ways("/one-deck", "/one-deck/odds")
    for _ in range(40):
        table = amy.client.get("/one-deck", headers=JSON).get_json()
        names = [move["name"] for move in table["moves"]]
        if names == ["new"]:
            break
        amy.move("/one-deck", next(name for name in ("hit", "deal") if name in names))
    amy.all_ways("/one-deck", "/one-deck/history")
    amy.move("/one-deck", "new")


def war_and_bingo(day: Recording) -> None:
    """Play War and Bingo, and change the language."""
    amy, deck = day.browser("amy"), stacked("TC TD 6C 9H 2S 3S KH")
    amy.move("/war", "deal", players="3", names="Amy, Brad", deck=deck)
    amy.all_ways("/war", "/war/odds")
    for turns in ("1", "10", "100", "all"):
        amy.move("/war", "turn", turns=turns)
        amy.all_ways("/war")
    amy.all_ways("/war/history", "/war/history/1")
    amy.move("/bingo", "deal", mode="C", speed="N", bingo_deck=deck, calling_deck=stacked("5D 6H"))
    amy.all_ways("/bingo")
    for calls in ("1", "5", "all"):
        amy.move("/bingo", "call", calls=calls)
        amy.all_ways("/bingo")
    amy.all_ways("/bingo/history", "/bingo/history/1", "/history", "/")
    amy.post("/language", {}, language="de", next="/simple-21")
    amy.get("/simple-21")
    amy.post("/language", {}, language="en", next="//evil.example")


def refusals(amy: Browser) -> None:
    """Send requests that a table must reject."""
    for headers in (JSON, GERMAN):
        amy.send("/simple-21", {"move": "deal", "step": 3}, headers)
        amy.send("/simple-21", {"move": "deal"}, headers)
        amy.move("/simple-21", "hit", headers)
        amy.move("/simple-21", "fold", headers)
        amy.move("/simple-21", "deal", headers, card="")
        amy.move("/war", "deal", headers, players="7")
        amy.move("/war", "deal", headers)
        amy.move("/blackjack", "deal", headers, deck="AC\nAC\nxx")
        amy.move("/blackjack", "deal", headers, deck=(b"AC\n\xff\n", "bad deck.txt"))
        amy.move("/bingo", "deal", headers, mode="L", speed="N", bingo_deck="2C\nno card")
        amy.move("/bingo", "deal", headers, mode="X", speed="N")
    amy.move("/simple-21", "deal", {**JSON, "Sec-Fetch-Site": "cross-site"})
    amy.send("/simple-21", {"move": "deal", "step": "1" * 5000}, JSON)
    amy.send("/simple-21", {"move": "deal", "step": 0, "deck": "x" * 2_000_000}, JSON)
    amy.send("/simple-21", method="PUT", headers=JSON)
    amy.send("/simple-21/history", {"move": "deal"}, JSON)
    amy.get("/simple-21/history/999")
    amy.get("/simple-21/history?page=999")
    amy.get("/replay/nothing")
    amy.get("/what-if/nothing")
    amy.get("/deal/0000000000000000")
    amy.get("/sheets/decks/shuffledDeck.txt")
    amy.get("/sheets/decks/nothing.txt")


def around(day: Recording) -> None:
    """Make and play deal links, the deals of the day, puzzles; look at sheets."""
    bob, cora = day.browser("bob"), day.browser("cora")
    for slug, fields in (
        ("simple-21", {}),
        ("blackjack", {"deck": stacked("TC TD 6C 9H 2S 3S KH")}),
        ("war", {"players": "3", "names": "Amy, Brad"}),
        ("bingo", {"mode": "L", "speed": "N"}),
    ):
        made = bob.post("/deals", table=slug, **fields).get_json()
        address = made["address"]
        for one in (bob, cora):
            one.all_ways(address)
            one.move(address, "deal")
            one.all_ways(address)
            _play_out(one, address)
            one.all_ways(address, f"{address}/results", f"{address}/link")
    bob.post("/deals", {}, table="one-deck")
    bob.post("/deals", table="nothing")
    bob.post("/deals", table="blackjack", deck="xx")
    daily = bob.json("/daily")
    for one in daily["deals"]:
        address = one["address"]
        bob.all_ways(address)
        bob.move(address, "deal")
        _play_out(bob, address)
        bob.all_ways(address, f"{address}/results")
    bob.all_ways("/daily", "/daily/yesterday", "/deals")
    for _ in range(9):
        bob.move("/puzzles", "stay")
        bob.all_ways("/puzzles")
    bob.move("/puzzles", "nothing")
    for slug in ("simple-21", "one-deck", "war", "blackjack", "bingo"):
        cora.get(f"/sheets/{slug}/try")
    cora.get("/sheets/nothing/try")
    cora.post("/settings", {}, theme="dark")
    cora.get("/settings")


def _play_out(browser: Browser, address: str) -> None:
    for _ in range(60):
        table = browser.client.get(address, headers=JSON).get_json()
        names = [move["name"] for move in table["moves"]]
        for name, form in (("stay", {}), ("turn", {"turns": "all"}), ("call", {"calls": "all"})):
            if name in names:
                browser.move(address, name, **form)
                break
        else:
            return


def classroom(day: Recording) -> None:
    """Lead a class of eight through rounds of Bingo, a tournament, votes and insight."""
    ada = day.browser("ada")
    ada.all_ways("/class/instructor", "/class/new", "/class/guide")
    ada.post("/class/new", title="")
    ada.post("/class/new", title="CS1", real="may", students="9")
    made = ada.post("/class/new", title="CS1, Tuesday", real="may", students="30").get_json()
    code = made["class"]
    for other in ada.client.get("/class", headers=JSON).get_json().get("classes", []):
        day.alias(other.get("class", "-"), "OTHER")
    day.alias(code, "CODE")
    base, desk = f"/class/{code}", f"/class/{code}/dashboard"
    ada.all_ways(base, desk, f"{base}/projector", f"{base}/roster", f"{base}/tournaments")
    names = ["ben", "cleo", "dan", "eve", "finn", "gus", "hal", "ida"]
    phones = [day.browser(name) for name in names]
    for number, phone in enumerate(phones):
        offers = phone.json(base)["offers"]
        if not number:
            phone.all_ways(base, f"/j/{code}", f"/J/{code.lower()}")
        for place, offer in enumerate(offers):
            day.alias(offer, f"OFFER{place}")
        day.alias(offers[0], f"Name{number + 1}")
        joined = phone.post(f"{base}/join", offer=offers[0], real=f"Real {names[number]}")
        day.alias(joined.get_json()["student"]["rejoin"], f"RE{number}")
    phones[0].post(f"{base}/join", offer="Nobody", real="x")
    day.browser("late").post(f"{base}/join", offer=phones[0].json(base)["student"]["name"])
    phones[0].all_ways(base, f"{base}/me.json", f"{base}/bingo")
    for wrong in ("ZZZZZ", "k7", "no-such-class"):
        phones[1].all_ways(f"/class/{wrong}")
        phones[1].post("/class", {}, code=wrong)
    phones[1].post("/class", {}, code=code.lower())
    for path in ("/dashboard", "/print?from=1&to=4", "/roster", "/insight", "/check?card=1"):
        phones[1].all_ways(f"{base}{path}")
    _bingo(ada, phones, base)
    _settings(ada, phones, base, day)
    _tournament(ada, phones, base)
    _votes(ada, phones, base)
    _insight(ada, phones, base)
    _leaving(ada, phones, base)


def _bingo(ada: Browser, phones: list[Browser], base: str) -> None:
    desk = f"{base}/dashboard"
    ada.move(desk, "deal", mode="X", every="0")
    ada.move(desk, "deal", mode="L", speed="Y", by_hand="N", every="0")
    ada.move(desk, "deal", mode="L", speed="Y", by_hand="N", every="0")
    phones[0].all_ways(f"{base}/bingo", f"{base}/bingo?as=list", base)
    ada.all_ways(desk, f"{desk}?names=yes", f"{base}/projector", f"{base}/print?from=1&to=4")
    _call_until_bingo(ada, desk)
    for one in (phones[0], phones[3]):
        one.all_ways(f"{base}/bingo", f"{base}/bingo?as=list")
    ada.all_ways(desk, f"{base}/projector", f"{base}/check?card=2")
    ada.send(desk, {"move": "end", "step": 0}, JSON)
    ada.move(desk, "end", {})
    ada.all_ways(desk, f"{base}/projector?show=standings")
    phones[2].all_ways(f"{base}/bingo", base)
    ada.move(desk, "deal", mode="C", speed="N", by_hand="Y", every="0")
    ada.move(desk, "paper", cards="3")
    for call in range(1, 4):
        ada.move(desk, "call", call=str(call))
    phones[0].post(f"{base}/bingo", move="mark", place="7", on="Y")
    phones[0].post(f"{base}/bingo", move="mark", place="70", on="Y")
    phones[0].post(f"{base}/bingo", move="claim", call="3")
    phones[0].post(f"{base}/bingo", {}, move="claim", call="3")
    phones[0].post(f"{base}/bingo", move="claim", call="4")
    phones[0].all_ways(f"{base}/bingo", f"{base}/bingo?said=3")
    for _ in range(52):
        if _claimed(ada, phones, base):
            break
    ada.all_ways(desk, f"{base}/projector")
    ada.move(desk, "go-on")
    ada.move(desk, "void", reason="A fire drill")
    phones[1].all_ways(f"{base}/bingo", base)
    ada.move(desk, "call", call="1")


def _call_until_bingo(ada: Browser, desk: str) -> None:
    for _ in range(52):
        live = ada.client.get(desk, headers=JSON).get_json()["round"]
        if live["phase"] != "playing":
            return
        ada.move(desk, "call", call=str(len(live["called"]) + 1))


def _claimed(ada: Browser, phones: list[Browser], base: str) -> bool:
    """Call a card; let the phones whose line is full claim, and say whether one did."""
    live = ada.client.get(f"{base}/dashboard", headers=JSON).get_json()["round"]
    ada.move(f"{base}/dashboard", "call", call=str(len(live["called"]) + 1))
    called = {*live["called"]}
    for phone in phones:
        card = phone.client.get(f"{base}/bingo", headers=JSON).get_json()
        called |= {*card["round"]["called"]}
        corners = [card["card"]["cards"][place] for place in (0, 4, 20, 24)]
        if called.issuperset(corners):
            phone.post(f"{base}/bingo", move="claim", call=str(len(card["round"]["called"])))
            phone.all_ways(f"{base}/bingo")
            return True
    return False


def _settings(ada: Browser, phones: list[Browser], base: str, day: Recording) -> None:
    desk = f"{base}/dashboard"
    for show in ("join", "round", "standings", "vote", "insight", "nothing", "else"):
        ada.move(desk, "show", show=show)
        ada.get(f"{base}/projector")
    ada.move(desk, "lock")
    day.browser("kai").post(f"{base}/join", offer="Any")
    day.browser("kai").all_ways(base)
    ada.move(desk, "unlock")
    ada.move(desk, "rename", student="3")
    day.alias(phones[2].json(base)["student"]["name"], "Renamed")
    ada.move(desk, "rejoin-code", student="2")
    ada.move(desk, "ban", student="7")
    phones[6].all_ways(base)
    ada.move(desk, "unban", student="7")
    ada.move(desk, "remove", student="99")
    ada.move(desk, "remove", {}, student="8")
    phones[7].all_ways(base)
    again = day.browser("again")
    again.post(f"{base}/rejoin", name="Name1", code="9999")
    ada.get(f"{base}/qr.svg")
    ada.move(desk, "hand-on", {})
    roster = {"names": "Real ben\nReal cleo\nReal zoe"}
    ada.post(f"{base}/roster", **roster)
    ada.move(desk, "roster", **roster)
    ada.all_ways(f"{base}/roster", f"{desk}?names=yes")


def _tournament(ada: Browser, phones: list[Browser], base: str) -> None:
    step = ada.client.get(f"{base}/dashboard", headers=JSON).get_json()["step"]
    form = {"move": "make", "table": "blackjack", "deals": "2", "title": "Homework"}
    for wrong in ({"table": "war"}, {"deals": "21"}, {"until": "Friday"}):
        ada.post(f"{base}/tournaments", step=str(step), **dict[str, Any](form | wrong))
    ada.post(f"{base}/tournaments", step=str(step), **form)
    ada.post(f"{base}/tournaments", step=str(step), **form)
    address = f"{base}/tournament/1"
    phones[0].all_ways(f"{base}/tournaments", address, f"{address}/deal/1", base)
    phones[0].post(f"{address}/deal/2", move="deal", step="0")
    for phone in phones[:4]:
        for deal in (1, 2):
            phone.move(f"{address}/deal/{deal}", "deal")
            if phone is phones[0]:
                phone.all_ways(f"{address}/deal/{deal}")
                phone.move(f"{address}/deal/{deal}", "hit")
            _play_out(phone, f"{address}/deal/{deal}")
        phone.all_ways(address)
    phones[0].all_ways(f"{address}/deal/1", f"{address}/deal/1/replay")
    ada.all_ways(address, f"{address}/deal/1", f"{base}/dashboard", f"{base}/projector")
    ada.move(address, "end")
    ada.all_ways(address, f"{base}/projector?show=standings")
    phones[0].all_ways(address, f"{address}/deal/1/replay", base)
    phones[5].move(f"{address}/deal/1", "deal")


def _votes(ada: Browser, phones: list[Browser], base: str) -> None:
    votes = f"{base}/votes"
    ada.all_ways(votes)

    def move(name: str, **form: str) -> None:
        step = ada.client.get(f"{base}/dashboard", headers=JSON).get_json()["step"]
        ada.post(votes, move=name, step=str(step), **form)

    move("ask", table="blackjack", hand="10 6", upcard="1")
    move("ask", table="blackjack", hand="10 6", upcard="10")
    phones[0].all_ways(f"{base}/vote", base)
    for ballot in ("1", "2"):
        for number, phone in enumerate(phones[:5]):
            choice = "hit" if number < 3 and ballot == "1" else "stay"
            sent = {"vote": "1", "ballot": ballot, "sure": str(1 + number % 3)}
            phone.post(f"{base}/vote", choice=choice, **sent)
        phones[0].post(f"{base}/vote", choice="fold", vote="1", ballot=ballot, sure="1")
        phones[0].all_ways(f"{base}/vote")
        ada.all_ways(votes, f"{base}/projector?show=vote")
        move("close-vote")
        move("bars")
        ada.all_ways(votes, f"{base}/projector?show=vote")
        if ballot == "1":
            move("second")
    move("solve")
    ada.all_ways(votes, f"{base}/projector?show=vote")
    phones[0].all_ways(f"{base}/vote", base)
    move("ask", table="simple-21", hand="10 6", upcard="10")
    phones[1].post(f"{base}/vote", choice="hit", vote="2", ballot="1", sure="2")
    phones[1].all_ways(f"{base}/vote")
    ada.all_ways(f"{base}/projector?show=vote")
    move("close-vote")
    move("solve")


def _insight(ada: Browser, phones: list[Browser], base: str) -> None:
    for phone in phones[:5]:
        for _ in range(4):
            phone.move("/blackjack", "deal", deck=stacked("TC TD 6C 9H 2S 3S KH"))
            phone.move("/blackjack", "stay")
    ada.all_ways(f"{base}/insight")
    for name in ("students.csv", "tournaments.csv"):
        ada.get(f"{base}/dashboard/{name}")
    ada.get(f"{base}/projector?show=insight")
    phones[0].all_ways(f"{base}/me.json")


def _leaving(ada: Browser, phones: list[Browser], base: str) -> None:
    desk = f"{base}/dashboard"
    phones[3].post(f"{base}/leave", what="step-out")
    phones[3].all_ways(base)
    phones[3].post(f"{base}/leave", what="step-in")
    phones[4].post(f"{base}/leave", what="nothing")
    phones[4].post(f"{base}/leave", {}, what="forget")
    phones[4].all_ways(base)
    ada.all_ways(desk)
    ada.move(desk, "prolong", days="14")
    ada.move(desk, "forget-names")
    ada.move(desk, "forget-names", sure="Y")
    ada.all_ways(f"{desk}?names=yes")
    ada.move(desk, "close")
    phones[0].all_ways(base)
    ada.move(desk, "forget")
    ada.all_ways(desk)


def record(file: Path) -> None:
    """Play the day in the site of the current folder, and save the answers."""
    chance = Chance()
    setattr(random, "_urandom", chance)  # noqa: B010 - the sources of SystemRandom and secrets
    time.time = lambda: START + chance.request * _PACE
    time.monotonic = lambda: chance.request * _PACE
    os.environ["TZ"] = "UTC"
    time.tzset()
    with tempfile.TemporaryDirectory() as folder:
        os.environ.update(DATA_DIR=folder, CLASSES="open", SECRET_KEY="of a recording " * 4)
        sys.path.insert(0, str(Path.cwd()))
        from app import create_app  # noqa: PLC0415

        day = Recording(create_app(), chance)
        for part in (visit, twenty_one, war_and_bingo, around, classroom):
            part(day)
        for one in day.answers:
            one["body"] = day.normal(one["body"])
    file.write_text(json.dumps(day.answers, indent=1))
    print(f"{len(day.answers)} requests recorded")


# ---- Comparing -----------------------------------------------------------------------------------


class Reader(HTMLParser):
    """The content of a page: texts, pictures, links, forms, a line each."""

    def __init__(self) -> None:
        """Begin outside everything."""
        super().__init__()
        self.lines: list[str] = []
        self._skipped = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note texts, links and fields."""
        found = {name: value or "" for name, value in attrs}
        if tag in ("script", "style", "noscript"):
            self._skipped = tag
        keys = {
            "a": ("href",),
            "img": ("alt",),
            "form": ("method", "action"),
            "input": ("type", "name", "value", "checked"),
            "button": ("name", "value"),
            "select": ("name",),
            "option": ("value", "selected"),
            "textarea": ("name",),
        }.get(tag, ())
        said = " ".join(f"{key}={found[key]}" for key in keys if key in found)
        label = f" [{found['aria-label']}]" if found.get("aria-label") else ""
        if keys or label:
            self.lines.append(f"<{tag} {said}>{label}")

    def handle_endtag(self, tag: str) -> None:
        """Read on after a script or style."""
        if tag == self._skipped:
            self._skipped = ""

    def handle_data(self, data: str) -> None:
        """Note a text."""
        text = " ".join(data.split())
        if text and not self._skipped:
            self.lines.append(text)


def read(answer: Mapping[str, Any]) -> Iterator[str]:
    """Yield the lines that are compared of an answer."""
    yield f"status {answer['status']}"
    yield f"cookie {answer['cookie']}"
    for name, value in answer["headers"].items():
        yield f"{name}: {value}"
    kind = answer["headers"].get("Content-Type", "")
    if "json" in kind:
        yield from json.dumps(json.loads(answer["body"]), indent=1, ensure_ascii=False).splitlines()
    elif "html" in kind:
        reader = Reader()
        reader.feed(answer["body"])
        yield from reader.lines
    else:
        yield from answer["body"].splitlines()


def compare(old: Path, new: Path) -> int:
    """Print the differences between two recordings; return the number of requests that differ."""
    before: dict[Any, Any] = {}
    after: dict[Any, Any] = {}
    for file, found in ((old, before), (new, after)):
        seen: dict[Any, int] = {}
        for one in json.loads(file.read_text()):
            key = (one["browser"], one["request"], str(one["form"]), str(one["sent_headers"]))
            seen[key] = seen.get(key, 0) + 1
            found[(*key, seen[key])] = one
    different = 0
    for key, answer in before.items():
        if key not in after:
            print("only before:", *key)
            different += 1
            continue
        old_lines, new_lines = [*read(answer)], [*read(after[key])]
        lines = [*difflib.unified_diff(old_lines, new_lines, lineterm="", n=0)]
        if lines:
            different += 1
            print("==", *key)
            print("\n".join(line for line in lines[2:] if not line.startswith("web.")))
    for key in after.keys() - before.keys():
        print("only after:", *key)
    print(f"{len(before)} requests before, {len(after)} after, {different} answered differently")
    return different


def main() -> None:
    """Record or compare."""
    if sys.argv[1] == "record":
        record(Path(sys.argv[2]))
    else:
        sys.exit(bool(compare(Path(sys.argv[2]), Path(sys.argv[3]))))


if __name__ == "__main__":
    main()
