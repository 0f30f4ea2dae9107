"""The checks of Fifteens. The program's file may have any name, so each check first searches for the program."""

from course.grading.checks import check
from course.grading.programs import program_in
from course.grading.trial import Trial


def the_file(trial: Trial) -> str:
    """Return the name of the program's file without its suffix."""
    program = program_in(trial.sheet, trial.folder)
    trial.expect(program, "a program", "there is no file of Python")
    return program.stem


def count(trial: Trial, hands: dict[str, int]) -> None:
    """Fail unless each hand has this number of pairs."""
    trial.load(the_file(trial))
    for hand, wanted in hands.items():
        trial.equal(f"Hand({hand!r}).fifteens()", wanted)


@check("S11-1")
def counts_pairs(trial: Trial) -> None:
    """The hand contains only number cards."""
    count(trial, {"7H 8S 2D": 1, "7H 8S 8D": 2, "2C 3C": 0, "": 0})


@check("S11-2")
def knows_faces_and_aces(trial: Trial) -> None:
    """A five makes fifteen with a ten or a court card, but not with an ace."""
    count(trial, {"5H JS QS KS TS": 4, "AH 5C": 0})


@check("S11-3")
def prints_the_number(trial: Trial) -> None:
    """The program prints the number of pairs in a typed hand."""
    played = trial.ended(trial.play(f"{the_file(trial)}.py", "9H 6S 6D"))
    trial.expect("2" in played.parts[-1], "2, the number of pairs", played.parts[-1])
