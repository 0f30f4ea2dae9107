"""Students of a class: they join, play at tables, cover, claim and leave."""

from collections.abc import Sequence
from functools import partial
from typing import Any

from tests.simulation.classes import CENTRE, ClassModel
from tests.simulation.site import Site
from tests.simulation.tables import MAX_ROUNDS, TWENTY_ONE, Player, is_answered, require
from tests.simulation.world import World
from tests.support.bingo import has_bingo
from tests.support.http_client import Answer


class Student(Player):
    """A student of a class, who joins, plays at tables, covers and claims."""

    number = 0
    was_forgotten = False

    def __init__(self, world: World, site: Site, group: ClassModel, identity: int) -> None:
        super().__init__(world, site.client())
        self.group, self.identity = group, identity
        self.marks: dict[int, set[int]] = {}
        self.doubtful_marks: set[tuple[int, int]] = set()

    def join(self) -> None:
        """Join until a response arrives, sometimes with two concurrent requests."""
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
        if is_answered(answer, "join", 409, 422):
            self._sit(answer)

    def _sit(self, answer: Answer) -> None:
        self.group.seat(answer.json["student"]["number"], self)

    def leave(self) -> None:
        """Delete the student, and join again as a new student."""
        self.wait()
        path = f"/class/{self.group.code}"
        while self.number:
            answer = self.browser.post(f"{path}/leave", {"what": "forget"})
            was_forgotten = is_answered(answer, "leave", 422)
            page = self.browser.get(path)
            if page.status == 200 and not page.json["student"]:
                self.group.forget(self)
            elif page.status == 200:
                require(not was_forgotten, f"student {self.number} was forgotten, and is there")
            self.world.sleep(1)
        self.world.counts["students who left"] += 1
        # A new student number has new cards and marks, but the browser's tables do not change.
        self.marks, self.doubtful_marks, self.was_forgotten = {}, set(), True
        self.join()

    def poll(self) -> None:
        """Poll for changes, and either view and cover the card or claim BINGO!"""
        path = f"/class/{self.group.code}"
        floors = self.group.floors()
        answer = self.browser.get(f"{path}/bingo")
        if not is_answered(answer, "bingo"):
            return
        found, card = answer.json["round"], answer.json["card"]
        self.group.see(found, floors)
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
        number, covered = found["number"], {*card["covered"]}
        for place in self.marks.setdefault(number, {CENTRE}) ^ covered:
            is_doubtful = (number, place) in self.doubtful_marks
            require(is_doubtful, f"student {self.number}: mark {place} is wrong")
        self.marks[number] = covered

    def _cover(self, path: str, found: Any, card: Any) -> None:
        """Cover the called cards, sometimes two positions concurrently."""
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
            # The result is unknown, the claim was rejected, or a new round was dealt before the
            # claim arrived.
            return
        known, call = self.group.rounds[found["number"]], len(found["called"])
        _, cards = known.cards[self.number]
        right = answer.json["right"]
        expected = self._has_bingo(found, cards, found["called"])
        require(right == expected, f"student {self.number} was answered {right} at call {call}")
        self.world.counts["claims"] += 1
        known.claims[self.number, call] = right

    def check(self) -> None:
        """Compare the student's stored rows with all responses."""
        super().check()
        kept = self.browser.get(f"/class/{self.group.code}/me.json").json
        if not kept:
            return
        rows = kept["rows"]
        self._check_rounds(rows["class_cards"], rows["class_claims"])
        if not self.was_forgotten:  # A deleted student's rounds belong to no student.
            for slug in TWENTY_ONE:
                self._check_judged(
                    slug, [row for row in rows["student_days"] if row["game"] == slug]
                )

    def _check_rounds(self, cards: Any, claimed: Any) -> None:
        """Compare the stored cards and claims of finished rounds with the responses."""
        stored = {card["round"]: card["card"] for card in cards}
        for number, known in self.group.rounds.items():
            if not known.has_ended or self.number not in known.cards:
                continue
            card, _ = known.cards[self.number]
            played = f"student {self.number} played round {number}: {stored}"
            require(stored.get(number) == card, played)
            claims = {one["call"]: one["since"] > 0 for one in claimed if one["round"] == number}
            for (student, call), right in known.claims.items():
                is_kept = student != self.number or claims.get(call) == right
                require(is_kept, f"student {student} claimed at {call}, and kept is {claims}")

    def _check_judged(self, slug: str, days: Any) -> None:
        """Compare the sums over all rounds at a table with the rounds themselves."""
        rounds = self.browser.get(f"/{slug}/history").json["rounds"]
        if not rounds or len(rounds) >= MAX_ROUNDS:
            return
        decisions = [one for played in rounds for one in played["decisions"]]
        expected = {
            "rounds": len(rounds),
            "won": sum(played["result"] == "player" for played in rounds),
            "decisions": len(decisions),
        }
        found = {what: sum(day[what] for day in days) for what in expected}
        require(found == expected, f"{self.number} played {slug} {expected}: {found} is judged")
        given_away = sum(decision["cost"] for decision in decisions)
        off = abs(given_away - sum(day["cost"] for day in days))
        require(off < 0.00001, f"student {self.number}: {given_away}, and judged is {days}")
        self.world.counts["judged rounds"] += len(rounds)
