"""An instructor with a dashboard in two tabs, who calls, deals and ends rounds."""

from typing import Any

from tests.simulation.classes import ClassModel
from tests.simulation.site import Site
from tests.simulation.tables import is_answered, require
from tests.simulation.world import World
from tests.support.http_client import Answer


class Instructor:
    """An instructor whose browser shows the dashboard in two tabs."""

    def __init__(self, world: World, site: Site) -> None:
        self.world, self.browser = world, site.client()
        self.group = ClassModel("")

    def open(self) -> ClassModel:
        """Create a class, and return the known facts about it."""
        while not self.group.code:
            fields = {"title": "CS1", "nicknames": "offered", "real": "no", "students": 500}
            answer = self.browser.post("/class/new", {**fields, "days": 14})
            if answer.status == 200:
                self.group.code = answer.json["class"]
            self.world.sleep(1)
        return self.group

    def look(self) -> Any:
        """Return the dashboard's JSON object, or an empty object without a response."""
        floors, version = self.group.floors(), self.group.version
        answer = self.browser.get(f"/class/{self.group.code}/dashboard")
        if not is_answered(answer, "dashboard"):
            return {}
        self._compare(answer, version, floors)
        return answer.json

    def _compare(self, answer: Answer, version: int, floors: dict[int, int]) -> None:
        document = answer.json
        step = document["step"]
        require(step >= version, f"version {step} after {version} was answered")
        self.group.version = max(self.group.version, step)
        for what in ("number", "name"):
            students = [one[what] for one in document["students"]]
            require(len({*students}) == len(students), f"two students have one {what}")
        self.group.see(document["round"], floors)

    def move(self, name: str, step: int, **fields: object) -> Answer:
        """Make a move at a dashboard."""
        version = self.group.version
        sent = {"move": name, "step": step, **fields}
        answer = self.browser.post(f"/class/{self.group.code}/dashboard", sent)
        if is_answered(answer, name, 409, 422, 429):
            self._compare(answer, version, {})
        return answer

    def turn(self) -> None:
        """Make the next move of a round. Both tabs may request a call concurrently."""
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
            self.move("go-on" if "go-on" in names and self.world.chance(0.3) else "end", step)
        elif "deal" in names:
            kind = {"mode": chosen("LLCF"), "speed": chosen("YN"), "by_hand": chosen("YYN")}
            self.move("deal", step, every=chosen((0, 3, 3)), **kind)

    def _call(self, step: int, number: int, call: int) -> None:
        answer = self.move("call", step, call=call)
        if answer.status == 200:
            known = self.group.rounds[number]
            require(call not in known.accepted, f"call {call} of round {number} was made twice")
            known.accepted.add(call)
            known.floor = max(known.floor, call)
            self.world.counts["calls"] += 1

    def check(self) -> None:
        """Compare the students at the end of a day with all responses."""
        numbers = {one["number"] for one in self.look()["students"]}
        wrong = sorted(numbers ^ {*self.group.numbers})
        require(not wrong, f"students {wrong} are wrong")
