"""An instructor with several dashboards, who calls, deals, ends rounds, and creates tournaments."""

from typing import Any

from tests.simulation.classes import ClassModel
from tests.simulation.site import Site
from tests.simulation.tables import TWENTY_ONE, Violation
from tests.simulation.world import World
from tests.support.http_client import Answer, Client
from web.classroom.core.access import SHARE_LINK_SECONDS


class Instructor:
    """An instructor with several open dashboards."""

    def __init__(self, world: World, site: Site) -> None:
        """Start with a browser."""
        self.world, self.site, self.first = world, site, site.client()
        self.browsers = [self.first]
        """The browsers that may open the dashboard."""

        self.group = ClassModel("")

    @property
    def browser(self) -> Client:
        """Return a random browser that may open the dashboard."""
        return self.world.random.choice(self.browsers)

    def open(self) -> ClassModel:
        """Open a class; return the facts that are known about it."""
        while not self.group.code:
            fields = {"title": "CS1", "nicknames": "offered", "real": "no", "students": 500}
            answer = self.first.post("/class/new", {**fields, "days": 14})
            if answer.status == 200:
                self.group.code = answer.json["class"]
            self.world.sleep(1)
        return self.group

    def look(self) -> Any:
        """Open the dashboard; return its JSON object, or an empty object without a response."""
        floor = self._floor()
        version = self.group.version
        answer = self.browser.get(f"/class/{self.group.code}/dashboard")
        if answer.status != 200:
            if not answer.unknown:
                raise Violation(f"dashboard: {answer.status} {answer.body[:300]!r}")
            return {}
        self._compare(answer, version, floor)
        return answer.json

    def _floor(self) -> tuple[int, int]:
        number = max(self.group.rounds, default=0)
        return number, self.group.rounds[number].floor if number else 0

    def _compare(self, answer: Answer, version: int, floor: tuple[int, int]) -> None:
        document = answer.json
        if document["step"] < version:
            raise Violation(f"version {document['step']} after {version} was answered")
        self.group.version = max(self.group.version, document["step"])
        numbers = [one["number"] for one in document["students"]]
        names = [one["name"] for one in document["students"]]
        if len({*numbers}) < len(numbers) or len({*names}) < len(names):
            raise Violation("two students have one number or one name")
        found = document["round"]
        if found:
            self.group.see(found, floor[1] if found["number"] == floor[0] else 0)

    def move(self, name: str, step: int, path: str = "dashboard", **fields: object) -> Answer:
        """Make a move at a dashboard."""
        version = self.group.version
        sent = {"move": name, "step": step, **fields}
        answer = self.browser.post(f"/class/{self.group.code}/{path}", sent)
        if answer.status == 200:
            self.world.counts["instructor's moves"] += 1
            if path == "dashboard" and name != "hand-on":
                self._compare(answer, version, (0, 0))
        elif not answer.unknown and answer.status not in (409, 422, 429):
            raise Violation(f"{name}: {answer.status} {answer.body[:300]!r}")
        return answer

    def turn(self) -> None:
        """Make the next move of a round. Two dashboards may press Call at the same time."""
        # Claims that arrive while the dashboard is rendered may be missing.
        right = self._right_claims()
        document = self.look()
        if not document:
            return
        names = {move["name"] for move in document["moves"]}
        found, step = document["round"], document["step"]
        if "call" in names:
            call = len(found["called"]) + 1
            if self.world.chance(0.5):
                self.world.spawn(lambda: self._call(step, found["number"], call))
            self._call(step, found["number"], call)
        elif "end" in names:
            self._check_claims(found, right)
            self.move("go-on" if "go-on" in names and self.world.chance(0.3) else "end", step)
        elif "deal" in names and self.world.chance(0.25):
            self._make_tournament(step)
        elif "deal" in names and self.world.chance(0.2):
            self._hand_on(step)
        elif "deal" in names:
            chosen = self.world.random.choice
            self.move(
                "deal",
                step,
                mode=chosen("LLCF"),
                speed=chosen("YN"),
                by_hand=chosen("YYN"),
                every=chosen((0, 3, 3)),
            )

    def _make_tournament(self, step: int) -> None:
        chosen = self.world.random.choice
        self.move(
            "make",
            step,
            "tournaments",
            table=chosen(TWENTY_ONE),
            deals=self.world.random.randint(1, 3),
        )

    def _hand_on(self, step: int) -> None:
        """Share the dashboard with another browser by a single-use link that expires."""
        ends = self.world.now + SHARE_LINK_SECONDS
        answer = self.move("hand-on", step)
        if answer.status != 200:
            return
        link = "/class/instructor/" + answer.json["address"].rpartition("/")[2]
        first, second = self.site.client(), self.site.client()
        answers = first.post(link, {}), second.post(link, {})
        holders = [one.status for one in answers].count(200)
        fine = (0, 200, 503) if self.world.now < ends else (0, 200, 404, 503)
        if holders > 1 or answers[0].status not in fine:
            raise Violation(f"a link gave the dashboard to {holders}: {answers}")
        if answers[0].status == 200:
            self.browsers = [self.first, first]
            self.world.counts["dashboards handed on"] += 1

    def _call(self, step: int, number: int, call: int) -> None:
        answer = self.move("call", step, call=call)
        if answer.status == 200:
            known = self.group.rounds[number]
            known.accepted[call] += 1
            if known.accepted[call] > 1:
                raise Violation(f"call {call} of round {number} was made twice")
            known.floor = max(known.floor, call)
            self.world.counts["calls"] += 1

    def _right_claims(self) -> set[tuple[int, int]]:
        """Return the rounds and students of all claims that were answered as right."""
        return {
            (number, student)
            for number, known in self.group.rounds.items()
            for (student, _), right in known.claims.items()
            if right
        }

    def _check_claims(self, found: Any, answered: set[tuple[int, int]]) -> None:
        """Compare the places on the dashboard with the claims that were answered before."""
        winners = {name for place in found["places"] for name in place["names"]}
        right = [student for number, student in answered if number == found["number"]]
        gone = len(self.group.gone)  # Their cards are out of play, and so are their places.
        if found["by_hand"] and len(winners) < min(len(right) - gone, 12):
            raise Violation(f"right claims of {right}, and only {winners} have a place")

    def check(self) -> None:
        """Compare the class at the end of a day with all responses to its students.

        Raises:
            Violation: If something was lost or done twice.
        """
        document = self.look()
        numbers = {one["number"] for one in document["students"]}
        if numbers != {*self.group.numbers}:
            raise Violation(f"students {sorted(numbers ^ {*self.group.numbers})} are wrong")
        for known in self.group.rounds.values():
            if known.has_ended:
                self.world.counts["rounds of the class"] += 1
        self._check_tournaments()

    def _check_tournaments(self) -> None:
        """Compare the played deals and their results with the responses to the students."""
        path = f"/class/{self.group.code}"
        for one in self.browser.get(f"{path}/tournaments").json["tournaments"]:
            number = one["tournament"]
            begin = f"{path}/tournament/{number}/deal/"
            rows = self.browser.get(f"{path}/tournament/{number}").json["students"]
            kept = {row["number"]: row for row in rows}
            for student in self.group.numbers.values():
                played = {
                    int(address.removeprefix(begin)): winner
                    for address, winner in student.results.items()
                    if address.startswith(begin)
                }
                self.world.counts["deals of tournaments"] += len(played)
                if played:
                    self._compare_entry(kept.get(student.number), played)

    def _compare_entry(self, row: Any, played: dict[int, str]) -> None:
        if row is None or row["played"] < len(played):
            raise Violation(f"{played} was answered, and kept is {row}")
        if missing := [deal for deal in played if row["deals"][deal - 1] is None]:
            raise Violation(f"deals {missing} were answered, and kept is {row}")
