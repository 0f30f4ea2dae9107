"""One-deck Blackjack: the form of the program."""

import ast
import builtins
import symtable

from cardgames.grading.trial import Failed, Trial

PROGRAM = "proj09.py"


def tree_of(trial: Trial) -> ast.Module:
    """Return the program's syntax tree."""
    try:
        return ast.parse(trial.source(PROGRAM))
    except SyntaxError as error:
        raise Failed(f"{PROGRAM} is Python", f"{error}") from None


def s2_17(trial: Trial) -> None:
    """It imports cards, and defines none of its classes."""
    tree = tree_of(trial)
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
    tree = tree_of(trial)
    trial.called.append(f"the names in the functions of {PROGRAM}")
    for node in ast.walk(tree):
        if isinstance(node, ast.Global):
            raise Failed("no global variables", f"global {', '.join(node.names)}")
    table = symtable.symtable(trial.source(PROGRAM), PROGRAM, "exec")
    fine = {symbol.get_name() for symbol in table.get_symbols() if symbol.is_imported()}
    fine |= {symbol.get_name() for symbol in table.get_symbols() if symbol.is_namespace()}
    for function in _functions(table):
        for symbol in function.get_symbols():
            name = symbol.get_name()
            if symbol.is_global() and name not in fine and not hasattr(builtins, name):
                raise Failed("no global variables", f"{function.get_name()} uses {name}")


def _functions(table: symtable.SymbolTable) -> list[symtable.SymbolTable]:
    """Return the tables of all functions, those inside others too."""
    inside = [each for child in table.get_children() for each in _functions(child)]
    return [*([table] if table.get_type() == "function" else []), *inside]


def s2_19(trial: Trial) -> None:
    """Three functions besides main."""
    functions = [node.name for node in tree_of(trial).body if isinstance(node, ast.FunctionDef)]
    others = [name for name in functions if name != "main"]
    trial.called.append(f"the functions of {PROGRAM}: {' '.join(functions)}")
    trial.expect(len(others) >= 3, "three functions besides main", f"{len(others)}")
