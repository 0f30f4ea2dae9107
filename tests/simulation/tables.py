"""Players at tables, and the promises of a table, which are checked only from its responses."""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final

from tests.simulation.world import World
from tests.support.history import problems
from tests.support.http_client import Answer, Client

SLUGS: Final = ("simple-21", "blackjack", "one-deck", "war", "bingo")
TWENTY_ONE: Final = SLUGS[:3]
OVER: Final = ("round over", "game over")
MAX_MOVES: Final = 12
"""Maximum number of consecutive moves that a player makes at a table."""

MAX_ROUNDS: Final = 200
"""Number of finished rounds that are stored for each table."""


class Violation(AssertionError):
    """A response that contradicts earlier responses."""


@dataclass
class TableModel:
    """The expected state of a browser's table at a URL.

    A table has a step, and each played move adds 1 to it. A move is played if its response says so.
    If the response was lost, the move may have been played. No other change is allowed.
    """

    address: str
    played: set[int] = field(default_factory=set)
    """The steps at which a move was reported as played."""

    in_doubt: Counter[int] = field(default_factory=Counter)
    """Number of moves that were sent at a step and have no known result."""

    floor: int = 0
    """Minimum step in all later responses."""

    views: dict[int, Any] = field(default_factory=dict)
    """The view of the table at each step that was seen."""

    over: dict[int, str | None] = field(default_factory=dict)
    """The steps at which a response showed the end of a round, with the winner."""

    def see(self, document: Any, floor: int) -> None:
        """Compare a table in a response with all known facts.

        Args:
            document: JSON object of the table.
            floor: Value of :attr:`floor` when the request was sent.

        Raises:
            Violation: If the response contradicts the known facts.
        """
        step = document["step"]
        if step < floor:
            raise Violation(f"{self.address}: step {step} after {floor} was answered: a lost move")
        for before in range(self.floor, step):
            if before not in self.played and not self.in_doubt[before]:
                raise Violation(f"{self.address}: step {step}, and nobody moved at {before}")
        if self.views.setdefault(step, document["view"]) != document["view"]:
            raise Violation(f"{self.address}: two different tables at step {step}")
        self.floor = max(self.floor, step)
        if document["view"]["phase"] in OVER:
            self.over[step] = document["view"]["winner"]

    def answered(self, step: int, answer: Answer, floor: int) -> None:
        """Record the result of a move that was sent at a step.

        Raises:
            Violation: If the result contradicts the known facts.
        """
        if answer.unknown:
            return
        self.in_doubt[step] -= 1
        if answer.status == 200:
            if step in self.played:
                raise Violation(f"{self.address}: two moves were played at step {step}")
            self.played.add(step)
            if answer.json["step"] != step + 1:
                raise Violation(f"{self.address}: step {answer.json['step']} after {step}")
        elif answer.status not in (409, 422, 429):
            raise Violation(f"{self.address}: {answer.status} {answer.body[:500]!r}")
        if "step" in answer.json:
            self.see(answer.json, floor)


class Player:
    """A player at tables who double-clicks, reloads and uses old tabs."""

    def __init__(
        self, world: World, browser: Client, deals: dict[str, set[int]] | None = None
    ) -> None:
        """Start with a browser.

        Args:
            world: The simulated world.
            browser: The player's browser.
            deals: The deals that all players know, each with the players whose end of the deal was
                reported.
        """
        self.world, self.browser = world, browser
        self.deals = {} if deals is None else deals
        self.tables: dict[str, TableModel] = {}
        self.pending = 0
        """Number of requests in progress in addition to the player's next request."""

        self._histories: dict[tuple[int, str], Any] = {}
        self._shown: dict[str, Any] = {}
        """The last view of each table."""

    def at_once(self, act: Callable[[], object]) -> None:
        """Send a request concurrently with the next move, as by a double click or a second tab."""

        def run() -> None:
            try:
                act()
            finally:
                self.pending -= 1

        self.pending += 1
        self.world.spawn(run)

    def wait(self) -> None:
        """Wait until all requests have responses."""
        while self.pending:
            self.world.sleep(1)

    def look(self, address: str) -> Any:
        """Reload a table; return its JSON object, or an empty object if there was no response."""
        model = self.tables.setdefault(address, TableModel(address))
        floor = model.floor
        answer = self.browser.get(address)
        if answer.status != 200:
            if not answer.unknown:
                raise Violation(f"{address}: {answer.status} {answer.body[:300]!r}")
            return {}
        model.see(answer.json, floor)
        self._shown[address] = answer.json
        return answer.json

    def move(self, address: str, step: int, fields: dict[str, object]) -> Any:
        """Send a move; return the response, or an empty object without a response."""
        model = self.tables[address]
        begun = bool(self.browser.cookies)
        model.in_doubt[step] += 1
        answer = self.browser.post(address, {"step": step, **fields})
        model.answered(step, answer, model.floor if answer.unknown else min(model.floor, step))
        if answer.status == 200:
            self.world.counts["moves"] += 1
        if not (begun or self.browser.cookies):
            del self.tables[
                address
            ]  # The response with the cookie was lost, so this is another visitor.
        self._shown[address] = answer.json if answer.status == 200 else {}
        return answer.json

    def turn(self, address: str) -> None:
        """Load a table and play several moves like an impatient student."""
        for _ in range(self.world.random.randint(2, MAX_MOVES)):
            self._play_on(address)

    def _play_on(self, address: str) -> None:
        choose = self.world.random
        document = self._shown.get(address)
        if not document or choose.random() < 0.1:
            document = self.look(address)
        if not document:
            return
        moves = [
            move for move in document["moves"] if move["name"] != "new" or choose.random() < 0.02
        ]
        if not moves and not (moves := document["moves"]):
            return  # a deal that is played to its end
        move = choose.choice(moves)
        fields: dict[str, object] = {"move": move["name"]}
        for name, values in move["fields"].items():
            if values:
                most = 1 if name == "turns" and choose.random() < 0.95 else len(values)
                fields[name] = choose.choice([*values][:most])
        step = document["step"]
        habit = choose.random() if self.browser.cookies else 1.0
        if habit < 0.1:  # a double click
            self.at_once(lambda: self.move(address, step, fields))
        elif habit < 0.13 and step:  # an old tab
            step -= 1
        self.move(address, step, fields)

    def deal_link(self) -> None:
        """Create a deal that other players also play, or play an existing deal."""
        if self.browser.cookies and (not self.deals or self.world.chance(0.05)):
            table = self.world.random.choice(TWENTY_ONE)
            answer = self.browser.post("/deals", {"table": table})
            if answer.status == 200:
                self.deals[answer.json["address"]] = set()
        elif self.deals:
            address = self.world.random.choice([*self.deals])
            self.turn(address)
            if self._shown.get(address, {}).get("view", {}).get("phase") in OVER:
                self.deals[address].add(id(self))

    def history(self, browser: Client, slug: str) -> Any:
        """Return the records of a table at the end of the day."""
        key = id(browser), slug
        if key not in self._histories:
            self._histories[key] = browser.get(f"/{slug}/history").json
        return self._histories[key]

    def check(self) -> None:
        """Compare the stored records with the rounds whose end was reported.

        Raises:
            Violation: If a round is missing, or a record breaks the rules.
        """
        for slug in SLUGS:
            model = self.tables.get(f"/{slug}")
            if model is None or not model.over:
                continue
            history = self.history(self.browser, slug)
            rounds = history["rounds"]
            if len(rounds) < min(MAX_ROUNDS, len(model.over)):
                raise Violation(f"{slug}: {len(rounds)} of {len(model.over)} rounds are kept")
            self.world.counts["records"] += len(rounds)
            for problem in problems(history):
                raise Violation(f"{slug}: {problem}")
