"""One-deck Blackjack: the form of the program."""

import ast

from course.grading.checks.tools import tree_of
from course.grading.form import globals_used
from course.grading.trial import Failed, Trial

PROGRAM = "proj09.py"


def s2_17(trial: Trial) -> None:
    """It imports cards, and defines none of its classes."""
    tree = tree_of(trial, PROGRAM)
    trial.called.append(f"the statements of {PROGRAM}")
    imported = [
        alias.name
        for node in ast.walk(tree)
        if isinstance(node, ast.Import)
        for alias in node.names
    ]
    trial.expect("cards" in imported, "the statement import cards", f"it imports {imported}")
    for node in ast.walk(tree):
        copied = isinstance(node, ast.ClassDef) and node.name in ("Card", "Deck")
        trial.expect(not copied, "nothing copied from cards.py", "a class Card or Deck of its own")


def s2_18(trial: Trial) -> None:
    """No function uses a variable that it has not made."""
    tree_of(trial, PROGRAM)
    trial.called.append(f"the names in the functions of {PROGRAM}")
    for finding in globals_used(trial.source(PROGRAM), PROGRAM):
        raise Failed("no global variables", f"line {finding.line}: {finding.text}")


def s2_19(trial: Trial) -> None:
    """Three functions besides main."""
    functions = [
        node.name for node in tree_of(trial, PROGRAM).body if isinstance(node, ast.FunctionDef)
    ]
    others = [name for name in functions if name != "main"]
    trial.called.append(f"the functions of {PROGRAM}: {' '.join(functions)}")
    trial.expect(len(others) >= 3, "three functions besides main", f"{len(others)}")
