"""Students of a class: they join, play at tables, cover and claim, leave and come back."""

from collections.abc import Sequence
from functools import partial
from typing import Any

from tests.simulation.classes import CENTRE, ClassModel
from tests.simulation.site import Site
from tests.simulation.tables import MAX_ROUNDS, TWENTY_ONE, Player, Violation
from tests.simulation.world import World
from tests.support.bingo import has_bingo
from tests.support.http_client import Answer


class Student(Player):
    """A student of a class, who joins, plays at tables and in tournaments, covers and claims."""

    number = 0
    name = code = ""
    """The nickname and the rejoin code."""

    was_forgotten = False

    def __init__(self, world: World, site: Site, group: ClassModel, identity: int) -> None:
        """Start with a new browser."""
        super().__init__(world, site.client())
        self.site = site
        self.group, self.identity = group, identity
        self.marks: dict[int, set[int]] = {}
        self.doubtful_marks: set[tuple[int, int]] = set()
        self.results: dict[str, str] = {}
        """The winners of each homework deal that was reported as finished, by URL."""

        self.browsers = [self.browser]
        """All browsers of the student since joining."""

    def join(self) -> None:
        """Join until there is a response, sometimes twice at the same time."""
        path = f"/class/{self.group.code}"
        while not self.number:
            offer = self.browser.get(path)
            if offer.status == 200 and offer.json.get("student"):
                self._sit(offer)
                return
            if offer.status == 200:
                fields: dict[str, object] = {
                    "offer": self.world.random.choice(offer.json["offers"]),
                    "receipt": f"receipt-of-{self.identity}-{len(self.group.gone)}",
                }
                if self.browser.cookies and self.world.chance(0.3):
                    self.at_once(partial(self._send_join, fields))
                self._send_join(fields)
                self.wait()
            self.world.sleep(1)

    def _send_join(self, fields: dict[str, object]) -> None:
        answer = self.browser.post(f"/class/{self.group.code}/join", fields)
        if answer.status == 200:
            self._sit(answer)
        elif not answer.unknown and answer.status not in (409, 422):
            raise Violation(f"join: {answer.status} {answer.body[:300]!r}")

    def _sit(self, answer: Answer) -> None:
        told = answer.json["student"]
        self.group.seat(told["number"], self)
        self.name, self.code = told["name"], told["rejoin"]

    def rejoin(self) -> None:
        """Return in another browser with the rejoin code, which is sometimes mistyped first."""
        self.wait()
        path, other = f"/class/{self.group.code}/rejoin", self.site.client()
        if self.world.chance(0.3):
            answer = other.post(path, {"name": self.name, "code": "22222"})
            if not answer.unknown and answer.status != 422:
                raise Violation(f"a wrong code: {answer.status} {answer.body[:300]!r}")
        for _ in range(3):
            answer = other.post(path, {"name": self.name, "code": self.code})
            if answer.status == 200:
                self._sit(answer)
                self.browser = other
                self.browsers.append(other)
                # The student has the same table in all browsers.
                shared = f"/class/{self.group.code}/"
                self.tables = {at: one for at, one in self.tables.items() if shared in at}
                self._shown = {}
                self.world.counts["students who came back"] += 1
                return
            if not answer.unknown and answer.status not in (422, 429):
                raise Violation(f"rejoin: {answer.status} {answer.body[:300]!r}")
            self.world.sleep(1)

    def leave(self) -> None:
        """Delete the student, and join again as another student."""
        self.wait()
        path = f"/class/{self.group.code}"
        while self.number:
            answer = self.browser.post(f"{path}/leave", {"what": "forget"})
            if not answer.unknown and answer.status not in (200, 422):
                raise Violation(f"leave: {answer.status} {answer.body[:300]!r}")
            page = self.browser.get(path)
            if page.status == 200 and not page.json["student"]:
                self.group.forget(self)
            elif page.status == 200 and answer.status == 200:
                raise Violation(f"student {self.number} was forgotten, and is there")
            self.world.sleep(1)
        self.world.counts["students who left"] += 1
        # The next number has other cards, marks and deals, but the browser has the same tables.
        self.marks, self.doubtful_marks, self.results = {}, set(), {}
        self.browsers, self.was_forgotten = [self.browser], True
        self.tables = {at: one for at, one in self.tables.items() if path not in at}
        self._shown = {at: one for at, one in self._shown.items() if path not in at}
        self.join()

    def poll(self) -> None:
        """Poll for changes, view the card and cover it, or claim BINGO!"""
        path = f"/class/{self.group.code}"
        if self.world.chance(0.3):
            asked = self.browser.get(path)
            if asked.status not in (0, 200, 303, 503):
                raise Violation(f"page of the class: {asked.status} {asked.body[:300]!r}")
        open_round = max(self.group.rounds, default=0)
        floor = self.group.rounds[open_round].floor if open_round else 0
        answer = self.browser.get(f"{path}/bingo")
        if answer.status != 200:
            if not answer.unknown:
                raise Violation(f"bingo: {answer.status} {answer.body[:300]!r}")
            return
        found, card = answer.json["round"], answer.json["card"]
        if found is None:
            return
        self.group.see(found, floor if found["number"] == open_round else 0)
        if card is None:
            return
        known = self.group.rounds[found["number"]]
        known.see_card(self.number, card)
        if not found["by_hand"]:
            return
        self._compare_marks(found, card)
        if found["phase"] == "playing":
            self._cover(path, found, card)
        if answer.json["moves"] and (
            self.world.chance(0.01) or self._has_bingo(found, card["cards"], found["called"])
        ):
            self._claim(path, found)

    def _has_bingo(self, found: Any, cards: Any, called: Sequence[str]) -> bool:
        return has_bingo(cards, called, found["mode"], speed=found["speed"])

    def _compare_marks(self, found: Any, card: Any) -> None:
        marks = self.marks.setdefault(found["number"], {CENTRE})
        unexpected = marks ^ {*card["covered"]}
        for place in unexpected:
            if (found["number"], place) not in self.doubtful_marks:
                raise Violation(f"student {self.number}: mark {place} is wrong")
        self.marks[found["number"]] = {*card["covered"]}

    def _cover(self, path: str, found: Any, card: Any) -> None:
        """Cover the called cards, sometimes two positions at the same time."""
        marks = self.marks[found["number"]]
        for place, code in enumerate(card["cards"]):
            if code in found["called"] and place not in marks and self.world.chance(0.7):
                self.doubtful_marks.add((found["number"], place))
                mark = partial(self._mark, path, found["number"], place)
                if self.world.chance(0.3):
                    self.at_once(mark)
                else:
                    mark()
        self.wait()

    def _mark(self, path: str, number: int, place: int) -> None:
        fields = {"move": "mark", "place": place, "on": "Y", "round": number}
        if self.browser.post(f"{path}/bingo", fields).status == 200:
            self.marks[number].add(place)
            self.doubtful_marks.discard((number, place))
            self.world.counts["marks"] += 1

    def _claim(self, path: str, found: Any) -> None:
        call = len(found["called"])
        fields: dict[str, object] = {"move": "claim", "call": call}
        if self.world.chance(0.3):
            self.at_once(partial(self._send_claim, path, fields, found))
        self._send_claim(path, fields, found)

    def _send_claim(self, path: str, fields: dict[str, object], found: Any) -> None:
        answer = self.browser.post(f"{path}/bingo", fields)
        if answer.status != 200 or answer.json["round"]["number"] != found["number"]:
            # The result is unknown, or the move was rejected, or a new round was dealt before it
            # arrived.
            return
        known, call = self.group.rounds[found["number"]], len(found["called"])
        _, cards = known.cards[self.number]
        right = answer.json["right"]
        if right != self._has_bingo(found, cards, found["called"]):
            raise Violation(f"student {self.number} was answered {right} at call {call}")
        self.world.counts["claims"] += 1
        known.claims[self.number, call] = right

    def play_tournament(self) -> None:
        """Play the next move of an open tournament."""
        answer = self.browser.get(f"/class/{self.group.code}/tournaments")
        if answer.status != 200:
            return
        for one in answer.json["tournaments"]:
            if "next" in one:
                address = one["next"]["address"]
                self.turn(address)
                view = self._shown.get(address, {}).get("view", {})
                if view.get("winner") and view["phase"] in ("round over", "game over"):
                    self.results[address] = view["winner"]

    def check(self) -> None:
        """Compare the student's rows with all responses.

        Raises:
            Violation: If something was lost or done twice.
        """
        super().check()
        kept = self.browser.get(f"/class/{self.group.code}/me.json").json
        if not kept:
            return
        rows = kept["rows"]
        self._check_rounds(rows["class_cards"], rows["class_claims"])
        if not self.was_forgotten:  # Otherwise, some of the browser's rounds belong to no student.
            for slug in TWENTY_ONE:
                self._check_judged(
                    slug, [row for row in rows["student_days"] if row["game"] == slug]
                )

    def _check_rounds(self, cards: Any, claimed: Any) -> None:
        """Compare cards and claims of finished rounds with the stored ones."""
        stored = {card["round"]: card["card"] for card in cards}
        for number, known in self.group.rounds.items():
            if not known.has_ended or self.number not in known.cards:
                continue
            if stored.get(number) != known.cards[self.number][0]:
                raise Violation(f"student {self.number} played round {number}: {stored}")
            claims = {one["call"]: one["since"] > 0 for one in claimed if one["round"] == number}
            for (student, call), right in known.claims.items():
                if student == self.number and claims.get(call) != right:
                    raise Violation(f"student {student} claimed at {call}, and kept is {claims}")

    def _check_judged(self, slug: str, days: Any) -> None:
        """Compare the sums of all rounds at a table with the rounds themselves."""
        rounds = [one for browser in self.browsers for one in self.history(browser, slug)["rounds"]]
        if not rounds or len(rounds) >= MAX_ROUNDS:
            return
        decisions = [one for played in rounds for one in played["decisions"]]
        expected = {
            "rounds": len(rounds),
            "won": sum(played["result"] == "player" for played in rounds),
            "decisions": len(decisions),
        }
        found = {what: sum(day[what] for day in days) for what in expected}
        if found != expected:
            raise Violation(f"student {self.number} played {slug} {expected}: {found} is judged")
        given_away = sum(decision["cost"] for decision in decisions)
        if abs(given_away - sum(day["cost"] for day in days)) > 0.00001:
            raise Violation(f"student {self.number}: {given_away}, and judged is {days}")
        self.world.counts["judged rounds"] += len(rounds)
