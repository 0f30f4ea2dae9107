"""A small class that plays while something happens, and remembers when each move was answered."""

import threading
import time
from contextlib import closing
from dataclasses import dataclass, field
from http.client import HTTPException
from typing import Final, Self

from tests.support.serving import Player

TABLE: Final = "/simple-21"


@dataclass
class Student:
    """Who plays at a table of their own, one move after the other."""

    player: Player
    answered: list[float] = field(default_factory=list)
    """When each move was answered, by the step that it led to, from 1."""

    lost: list[float] = field(default_factory=list)
    """When the moves were answered that the table does not have any more."""

    wrong: list[str] = field(default_factory=list)
    """What nobody should be shown."""

    refused: int = 0
    in_doubt: int = 0
    """Moves without an answer."""

    def play(self) -> None:
        """Play one move, or look what became of one that was not answered."""
        try:
            status, table = self.player.json(TABLE)
            if status == 503:
                self.refused += 1
                time.sleep(0.1)
                return
            self._compare(table["step"])
            names = [move["name"] for move in table["moves"]]
            form = {"move": names[0], "step": str(table["step"])}
            status, table = self.player.json(TABLE, form)
        except (OSError, HTTPException, ValueError):
            self.in_doubt += 1
            self.player.close()
            time.sleep(0.1)
            return
        if status == 200:
            self.answered.append(time.monotonic())
            if table["step"] != len(self.answered):
                self.wrong.append(f"step {table['step']} after {len(self.answered)} moves")
        elif status == 503:
            self.refused += 1
            time.sleep(0.1)
        elif status != 409:
            self.wrong.append(f"{status} {table}")

    def _compare(self, step: int) -> None:
        """Take over where the table stands; what it does not have any more is lost."""
        if step > len(self.answered) + 1:
            self.wrong.append(f"step {step} after {len(self.answered)} moves")
        if step > len(self.answered):  # one that was not answered, and counts
            self.answered.append(time.monotonic())
        self.lost += self.answered[step:]
        del self.answered[step:]


class School:
    """Students who play until they are asked to stop: ``with School(ports, 20) as school``."""

    def __init__(self, ports: list[int], students: int) -> None:
        self.students = [Student(Player(ports[n % len(ports)])) for n in range(students)]
        self._over = threading.Event()
        self._threads = [
            threading.Thread(target=self._sit, args=(student,)) for student in self.students
        ]

    def __enter__(self) -> Self:
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_error: object) -> None:
        self._over.set()
        for thread in self._threads:
            thread.join()

    def _sit(self, student: Student) -> None:
        with closing(student.player):
            while not self._over.is_set():
                student.play()
                time.sleep(0.02)
            student.player.close()
            student.play()  # a last look, long after whatever happened

    def moves(self) -> int:
        """Return how many moves were answered so far."""
        return sum(len(student.answered) for student in self.students)

    @property
    def wrong(self) -> list[str]:
        return [sentence for student in self.students for sentence in student.wrong]

    def lost_before(self, moment: float) -> int:
        """Return how many moves are lost that were answered before a moment."""
        return sum(at < moment for student in self.students for at in student.lost)
