"""An instructor with several dashboards, who calls, deals, ends rounds and creates tournaments."""

from typing import Any

from tests.simulation.classes import ClassModel
from tests.simulation.site import Site
from tests.simulation.tables import TWENTY_ONE, is_answered, require
from tests.simulation.world import World
from tests.support.http_client import Answer, Client
from web.classroom.core.access import SHARE_LINK_SECONDS


class Instructor:
    """An instructor with several open dashboards."""

    def __init__(self, world: World, site: Site) -> None:
        self.world, self.site, self.first = world, site, site.client()
        self.browsers = [self.first]
        """The browsers that may open the dashboard."""

        self.group = ClassModel("")

    @property
    def browser(self) -> Client:
        """Return a random browser that may open the dashboard."""
        return self.world.random.choice(self.browsers)

    def open(self) -> ClassModel:
        """Create a class, and return the known facts about it."""
        while not self.group.code:
            fields = {"title": "CS1", "nicknames": "offered", "real": "no", "students": 500}
            answer = self.first.post("/class/new", {**fields, "days": 14})
            if answer.status == 200:
                self.group.code = answer.json["class"]
            self.world.sleep(1)
        return self.group

    def look(self) -> Any:
        """Return the dashboard's JSON object, or an empty object without a response."""
        floor = self._floor()
        version = self.group.version
        answer = self.browser.get(f"/class/{self.group.code}/dashboard")
        if not is_answered(answer, "dashboard"):
            return {}
        self._compare(answer, version, floor)
        return answer.json

    def _floor(self) -> tuple[int, int]:
        number = max(self.group.rounds, default=0)
        return number, self.group.rounds[number].floor if number else 0

    def _compare(self, answer: Answer, version: int, floor: tuple[int, int]) -> None:
        document = answer.json
        step = document["step"]
        require(step >= version, f"version {step} after {version} was answered")
        self.group.version = max(self.group.version, step)
        for what in ("number", "name"):
            students = [one[what] for one in document["students"]]
            require(len({*students}) == len(students), f"two students have one {what}")
        found = document["round"]
        if found:
            self.group.see(found, floor[1] if found["number"] == floor[0] else 0)

    def move(self, name: str, step: int, path: str = "dashboard", **fields: object) -> Answer:
        """Make a move at a dashboard."""
        version = self.group.version
        sent = {"move": name, "step": step, **fields}
        answer = self.browser.post(f"/class/{self.group.code}/{path}", sent)
        is_made = is_answered(answer, name, 409, 422, 429)
        if is_made and path == "dashboard" and name != "hand-on":
            self._compare(answer, version, (0, 0))
        return answer

    def turn(self) -> None:
        """Make the next move of a round. Two dashboards may request a call concurrently."""
        # Claims that arrive while the dashboard is being rendered may be missing.
        right = self._right_claims()
        document = self.look()
        if not document:
            return
        chosen = self.world.random.choice
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
            table, deals = chosen(TWENTY_ONE), chosen((1, 2, 3))
            self.move("make", step, "tournaments", table=table, deals=deals)
        elif "deal" in names and self.world.chance(0.2):
            self._hand_on(step)
        elif "deal" in names:
            kind = {"mode": chosen("LLCF"), "speed": chosen("YN"), "by_hand": chosen("YYN")}
            self.move("deal", step, every=chosen((0, 3, 3)), **kind)

    def _hand_on(self, step: int) -> None:
        """Share the dashboard with another browser by a link that is single-use and expires."""
        ends = self.world.now + SHARE_LINK_SECONDS
        answer = self.move("hand-on", step)
        if answer.status != 200:
            return
        link = "/class/instructor/" + answer.json["address"].rpartition("/")[2]
        first, second = self.site.client(), self.site.client()
        answers = first.post(link, {}), second.post(link, {})
        holders = [one.status for one in answers].count(200)
        fine = (0, 200, 503) if self.world.now < ends else (0, 200, 404, 503)
        is_single = holders <= 1 and answers[0].status in fine
        require(is_single, f"a link gave the dashboard to {holders}: {answers}")
        if answers[0].status == 200:
            self.browsers = [self.first, first]
            self.world.counts["dashboards handed on"] += 1

    def _call(self, step: int, number: int, call: int) -> None:
        answer = self.move("call", step, call=call)
        if answer.status == 200:
            known = self.group.rounds[number]
            require(call not in known.accepted, f"call {call} of round {number} was made twice")
            known.accepted.add(call)
            known.floor = max(known.floor, call)
            self.world.counts["calls"] += 1

    def _right_claims(self) -> set[tuple[int, int]]:
        """Return the rounds and students of all claims that were confirmed as right."""
        return {
            (number, student)
            for number, known in self.group.rounds.items()
            for (student, _), right in known.claims.items()
            if right
        }

    def _check_claims(self, found: Any, answered: set[tuple[int, int]]) -> None:
        """Compare the places on the dashboard with the claims that were confirmed before."""
        winners = {name for place in found["places"] for name in place["names"]}
        right = [student for number, student in answered if number == found["number"]]
        gone = len(self.group.gone)  # cards and places of removed students no longer count
        has_places = not found["by_hand"] or len(winners) >= min(len(right) - gone, 12)
        require(has_places, f"right claims of {right}, and only {winners} have a place")

    def check(self) -> None:
        """Compare students and played deals at the end of a day with all responses."""
        numbers = {one["number"] for one in self.look()["students"]}
        wrong = sorted(numbers ^ {*self.group.numbers})
        require(not wrong, f"students {wrong} are wrong")
        path = f"/class/{self.group.code}"
        for one in self.browser.get(f"{path}/tournaments").json["tournaments"]:
            number = one["tournament"]
            begin = f"{path}/tournament/{number}/deal/"
            rows = self.browser.get(f"{path}/tournament/{number}").json["students"]
            kept = {row["number"]: row for row in rows}
            for student in self.group.numbers.values():
                results = [at for at in student.results if at.startswith(begin)]
                played = {int(address.removeprefix(begin)) for address in results}
                self.world.counts["deals of tournaments"] += len(played)
                row = kept.get(student.number, {"played": 0})
                lost = f"{played} was answered, and kept is {row}"
                require(row["played"] >= len(played), lost)
                require(all(row["deals"][deal - 1] is not None for deal in played), lost)
