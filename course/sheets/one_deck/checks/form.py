"""One-deck Blackjack: the form of the program, checked in its source."""

import ast

from course.grading.checks import check
from course.grading.checks.tools import globals_used, parsed_file
from course.grading.trial import Failed, Trial
from course.sheets.one_deck.checks.game import PROGRAM


@check("S2-17")
def s2_17(trial: Trial) -> None:
    """The program imports ``cards``, and does not define any of the classes in it."""
    tree = parsed_file(trial, PROGRAM)
    others = [path for path in sorted(trial.folder.glob("*.py")) if path.name != PROGRAM]
    same = [
        path.name for path in others if path.read_bytes() == (trial.folder / PROGRAM).read_bytes()
    ]
    trial.expect(not same, f"a file {PROGRAM}", f"it is called {', '.join(same)}")
    trial.called.append(f"the statements of {PROGRAM}")
    nodes = [node for node in ast.walk(tree) if isinstance(node, ast.Import | ast.ImportFrom)]
    plain = [node for node in nodes if isinstance(node, ast.Import)]
    imported = [alias.name for node in plain for alias in node.names]
    imports = "; ".join(ast.unparse(node) for node in nodes) or "no import"
    trial.expect("cards" in imported, "the statement import cards", imports)
    for node in ast.walk(tree):
        copied = isinstance(node, ast.ClassDef) and node.name in ("Card", "Deck")
        trial.expect(not copied, "nothing copied from cards.py", "a class Card or Deck of its own")


@check("S2-18")
def s2_18(trial: Trial) -> None:
    """No function uses a variable that is defined outside the function."""
    parsed_file(trial, PROGRAM)
    trial.called.append(f"the names in the functions of {PROGRAM}")
    for line, text in globals_used(trial.source(PROGRAM)):
        raise Failed("no global variables", f"line {line}: {text}")


@check("S2-19")
def s2_19(trial: Trial) -> None:
    """The program has three functions in addition to ``main``."""
    body = parsed_file(trial, PROGRAM).body
    functions = [node.name for node in body if isinstance(node, ast.FunctionDef)]
    others = [name for name in functions if name != "main"]
    trial.called.append(f"the functions of {PROGRAM}: {' '.join(functions)}")
    trial.expect(len(others) >= 3, "three functions besides main", f"{len(others)}")
