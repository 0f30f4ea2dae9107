"""Players at tables, and a table's guarantees, checked using only its responses."""

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
MAX_ROUNDS: Final = 200
"""Number of finished rounds that are stored for each table."""


class Violation(AssertionError):
    """A response that contradicts earlier responses."""


def require(holds: object, problem: str) -> None:
    """Raise a violation unless a guarantee holds."""
    if not holds:
        raise Violation(problem)


def is_answered(answer: Answer, name: str, *others: int) -> bool:
    """Return whether a request succeeded.

    If not, the response was lost, or it has one of the other given statuses.
    """
    fine = answer.unknown or answer.status in (200, *others)
    require(fine, f"{name}: {answer.status} {answer.body[:300]!r}")
    return answer.status == 200


@dataclass
class TableModel:
    """The expected state of a browser's table at a URL.

    A table has a step number. The number increases by 1 with each played move. A move has been
    played if its response confirms the move. If the response was lost, the move may have been
    played. The table does not change in any other way.
    """

    address: str
    played: set[int] = field(default_factory=set)  # Steps at which a move was reported as played.
    in_doubt: Counter[int] = field(default_factory=Counter)  # Unanswered moves, keyed by step.
    floor: int = 0  # Minimum step in all later responses.
    views: dict[int, Any] = field(default_factory=dict)  # The view at each observed step.
    over: set[int] = field(default_factory=set)  # Steps at which the end of a round was shown.

    def see(self, document: Any, floor: int) -> None:
        """Compare a table in a response with all known facts.

        Args:
            document: The JSON object of the table.
            floor: The value of :attr:`floor` when the request was sent.
        """
        step, at = document["step"], self.address
        require(step >= floor, f"{at}: step {step} after {floor} was answered: a lost move")
        for before in range(self.floor, step):
            moved = before in self.played or self.in_doubt[before]
            require(moved, f"{at}: step {step}, and nobody moved at {before}")
        view = self.views.setdefault(step, document["view"])
        require(view == document["view"], f"{at}: two different tables at step {step}")
        self.floor = max(self.floor, step)
        if document["view"]["phase"] in OVER:
            self.over.add(step)

    def answered(self, step: int, answer: Answer, floor: int) -> None:
        """Record the result of a move that was sent at the given step."""
        if is_answered(answer, self.address, 409, 422, 429):
            require(step not in self.played, f"{self.address}: two moves were played at {step}")
            self.played.add(step)
            after = answer.json["step"]
            require(after == step + 1, f"{self.address}: step {after} after {step}")
        if answer.unknown:
            return
        self.in_doubt[step] -= 1
        if "step" in answer.json:
            self.see(answer.json, floor)


class Player:
    """A player at tables, who double-clicks, reloads and uses old tabs."""

    def __init__(self, world: World, browser: Client) -> None:
        self.world, self.browser = world, browser
        self.tables: dict[str, TableModel] = {}
        self.pending = 0  # Number of open requests in addition to the player's next one.
        self._shown: dict[str, Any] = {}  # The last view of each table.

    def at_once(self, act: Callable[[], object]) -> None:
        """Send a request concurrently with the next move.

        This is like a double click or a second tab.
        """

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
        """Reload a table; return its JSON object, or an empty object without a response."""
        model = self.tables.setdefault(address, TableModel(address))
        floor = model.floor
        answer = self.browser.get(address)
        if not is_answered(answer, address):
            return {}
        model.see(answer.json, floor)
        self._shown[address] = answer.json
        return answer.json

    def move(self, address: str, step: int, fields: dict[str, object]) -> Any:
        """Send a move, and return the response, or an empty object without a response."""
        model = self.tables[address]
        begun = bool(self.browser.cookies)
        model.in_doubt[step] += 1
        answer = self.browser.post(address, {"step": step, **fields})
        model.answered(step, answer, model.floor if answer.unknown else min(model.floor, step))
        if answer.status == 200:
            self.world.counts["moves"] += 1
        if not (begun or self.browser.cookies):
            # The response with the cookie was lost, so the site treats this browser as a new
            # visitor.
            del self.tables[address]
        self._shown[address] = answer.json if answer.status == 200 else {}
        return answer.json

    def turn(self, address: str) -> None:
        """Load a table and play several moves like an impatient student."""
        for _ in range(self.world.random.randint(2, 12)):
            self._play_on(address)

    def _play_on(self, address: str) -> None:
        choose = self.world.random
        document = self._shown.get(address)
        if not document or choose.random() < 0.1:
            document = self.look(address)
        if not document:
            return
        moves = [move for move in document["moves"] if move["name"] != "new"]
        # The player starts a new game if no other move is legal, and rarely otherwise.
        move = choose.choice(moves if moves and choose.random() < 0.98 else document["moves"])
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

    def check(self) -> None:
        """Compare the stored records with the rules, and with the rounds in responses."""
        for slug in SLUGS:
            model = self.tables.get(f"/{slug}")
            if model is None or not model.over:
                continue
            history = self.browser.get(f"/{slug}/history").json
            rounds = history["rounds"]
            ended = min(MAX_ROUNDS, len(model.over))
            require(len(rounds) >= ended, f"{slug}: {len(rounds)} of {ended} rounds are kept")
            self.world.counts["records"] += len(rounds)
            require(not (found := [*problems(history)]), f"{slug}: {found}")
