"""Judges: runs checks, one a line of JSON: ``python -m course.grading.server``.

The checks, and what they expect, are in this process. A student's code never is: it runs in the
process of a :class:`~course.grading.player.Player`, which only answers. Each outcome repeats the
secret of its job, so that no other line counts.
"""

import json
import os
import sys
from pathlib import Path
from queue import SimpleQueue
from threading import Thread
from typing import Any

from course.grading.checks import CHECKS
from course.grading.limits import Limits
from course.grading.player import Ended, Player
from course.grading.sheets import SHEETS
from course.grading.trial import Failed, Trial

Outcome = dict[str, Any]


def judge(job: dict[str, Any], player: Player) -> Outcome:
    """Run one check, and return its outcome."""
    trial = Trial(SHEETS[job["sheet"]], player.folder, job["unloadable"])
    problem = expected = got = ""
    try:
        with player.session() as session:
            trial.session = session
            try:
                CHECKS[job["sheet"]][job["check"]](trial)
                trial.ask_control_questions()
            except Failed as failure:
                expected, got = failure.expected, failure.got
    except Ended as ended:
        problem, expected, got = str(ended), "", ""
    except Exception as error:  # noqa: BLE001 - an answer may be of any kind, and not what is looked at
        problem = f"its answer cannot be judged: {type(error).__name__}: {error}"[:300]
    return {
        "passed": not (problem or expected or got),
        "problem": problem,
        "called": trial.called,
        "expected": expected,
        "got": got,
        "notes": trial.notes,
        "transcript": trial.transcript.events if trial.transcript else [],
        "running": trial.runs if problem else "",
        "secret": job["secret"],
    }


def main() -> None:
    """Do jobs until there are none; a student's process serves until another folder is judged."""
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "w", encoding="utf-8")
    lines: SimpleQueue[str] = SimpleQueue()
    players: list[Player] = []
    Thread(target=_read_jobs, args=(lines, players), daemon=True).start()
    try:
        while line := lines.get():
            job = json.loads(line)
            if not players or str(players[0].folder) != job["folder"]:
                while players:
                    players.pop().close()
                players.append(_player_for(job))
            answers.write(f"{json.dumps(judge(job, players[0]))}\n")
            answers.flush()
    finally:
        for player in players:
            player.close()


def _read_jobs(lines: SimpleQueue[str], players: list[Player]) -> None:
    """Pass lines on; when there are no more, nobody waits for what is still running."""
    for line in sys.stdin:
        lines.put(line)
    lines.put("")
    for player in players:
        player.end()


def _player_for(job: dict[str, Any]) -> Player:
    sheet, limits = SHEETS[job["sheet"]], Limits(**job["limits"])
    return Player(sheet, Path(job["folder"]), limits, can_fork=job["can_fork"], boxed=job["boxed"])


if __name__ == "__main__":
    main()
