"""Functions for the checks of several sheets."""

import ast
import builtins
import symtable
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, Final, NamedTuple

from course.grading.checks.words import plain
from course.grading.sandbox.terminal import Transcript
from course.grading.syntax import NOT_PYTHON, parsed
from course.grading.trial import KIT, Failed, Trial, shown

RANKS: Final = "A23456789TJQK"
SUITS: Final = "CDHS"
CODE_OF: Final = "(lambda card: card.getRank() + card.getSuit())"
CODES: Final = [rank + suit for suit in SUITS for rank in RANKS]


Check = Callable[[Trial], None]
Step = str | Mapping[str, object] | Callable[[Trial], object]
"""Statements to run, expressions with the expected values or exceptions, or a function to call."""


class Raises(NamedTuple):
    """An exception that an expression must raise.

    It is a built-in class, or the name of a student's class.
    """

    kind: type[BaseException] | str
    argument: str | None = None


def refuse(
    expressions: Iterable[str],
    kind: type[BaseException] | str = AssertionError,
    argument: str | None = None,
) -> dict[str, object]:
    """Return examples that all expect the same exception."""
    return dict.fromkeys(expressions, Raises(kind, argument))


def examples(before: Step, steps: Mapping[str, Step | list[Step]]) -> dict[str, Check]:
    """Return checks that evaluate examples.

    Args:
        before: The first step of each check.
        steps: The other steps, keyed by requirement number.
    """
    return {
        name: partial(_go_through, steps=[before, *(each if isinstance(each, list) else [each])])
        for name, each in steps.items()
    }


def _go_through(trial: Trial, steps: list[Step]) -> None:
    for step in steps:
        if callable(step):
            step(trial)
        elif isinstance(step, str):
            trial.do(step)
        else:
            for expression, wanted in step.items():
                if isinstance(wanted, Raises):
                    trial.raises(expression, *wanted)
                else:
                    trial.equal(expression, wanted)


def loading(*modules: str) -> Check:
    """Return a step that imports the student's modules."""
    return lambda trial: trial.load(*modules)


CODES_ON_TABLE: Final = (
    f"[card.getRank() + card.getSuit() for card in {KIT}.cards_within(table, Card)]"
)


def arranged(*first: str) -> list[str]:
    """Return the codes of all 52 cards, starting with the given codes."""
    return [*first, *(code for code in CODES if code not in first)]


def parsed_file(trial: Trial, file: str) -> ast.Module:
    """Return the syntax tree of a file."""
    try:
        return parsed(trial.source(file))
    except SyntaxError as error:  # the message is the same as when the file is imported
        message = f"SyntaxError: {error.msg} in {file}, line {error.lineno}"
        raise Failed(f"{file} is Python", message, stuck=message) from None
    except NOT_PYTHON as error:
        raise Failed(f"{file} is Python", f"{error}") from None


def play_all(trial: Trial, file: str, *typed: str, of: str = "lines") -> Transcript:
    """Run a program, and fail unless it reads exactly these lines."""
    transcript = trial.play(file, *typed)
    asked = transcript.typed
    trial.expect(
        asked == list(typed), f"it asks for {len(typed)} {of}", f"it asked for {len(asked)}"
    )
    return transcript


def expect_goodbye(trial: Trial, text: str) -> None:
    """Fail unless a program's output ends with a goodbye."""
    words = plain(text)
    goodbye = any(word in words for word in ("bye", "thank", "see you", "farewell", "next time"))
    trial.expect(goodbye, "a goodbye", words or "nothing")


def interface(file: str, name: str, *, exactly: bool = True) -> Check:
    """Return a step that fails unless a class has the sheet's public names."""

    def check(trial: Trial) -> None:
        public = trial.probe("public_names", f"globals().get({name!r})")
        trial.expect(public is not None, f"a class {name} in {file}", "there is none")
        methods, wanted = set(public), set(trial.sheet.classes[file][name].split())
        expected = f"{name} has the public names {' '.join(sorted(wanted))}"
        trial.called.append(f"the public names of {name}")
        missing, more = sorted(wanted - methods), sorted(methods - wanted) if exactly else []
        if missing:  # the message is the same as Python's
            error = AttributeError(f"'{name}' object has no attribute '{missing[0]}'")
            raise Failed(expected, f"missing: {' '.join(missing)}", shown(error))
        trial.expect(not more, expected, f"besides: {' '.join(more)}")

    return check


def value_kind(trial: Trial, thing: str) -> str:
    """Return the name of an object's class."""
    return str(trial.look(f"type({thing}).__name__"))


def attributes(trial: Trial, thing: str) -> dict[str, Any]:
    """Return an object's attributes, keyed by name."""
    values: dict[str, Any] = trial.probe("attributes", thing)
    return values


def check_private(trial: Trial, thing: str, number: int | None = None) -> dict[str, Any]:
    """Fail unless an object has this number of attributes, all of them private.

    Return the attributes.
    """
    values = attributes(trial, thing)
    name = value_kind(trial, thing)
    trial.called.append(f"the attributes of a {name}: {' '.join(sorted(values)) or 'none'}")
    public = sorted(key for key in values if not key.startswith("_"))
    trial.expect(not public, f"{name} has private attributes only", f"public: {' '.join(public)}")
    if number is not None:
        wanted = f"{name} has {number} private attribute{'s' * (number > 1)}"
        trial.expect(len(values) == number, wanted, f"it has {len(values)}")
    return values


def has(trial: Trial, stored: dict[str, Any], *values: object) -> None:
    """Fail unless the attributes contain each of these values.

    The names and the order of the attributes do not matter.
    """
    left = list(stored.values())
    for value in values:
        there = [
            candidate for candidate in left if type(candidate) is type(value) and candidate == value
        ]
        got = ", ".join(f"{name} = {shown(content)}" for name, content in stored.items())
        trial.expect(there, f"an attribute that is {value!r}", got)
        left.remove(there[0])


def own_tests(file: str, name: str, deck: Sequence[str] = (), *, anywhere: bool = False) -> Check:
    """Return a check that fails unless a program uses a class without an error.

    Args:
        file: The file that contains the student's tests.
        name: The class under test.
        deck: The lines of a deck file. The file's name is typed if the tests read input.
        anywhere: Whether the tests may be outside the main guard.
    """

    def check(trial: Trial) -> None:
        if deck:
            trial.file("deck.txt", deck)
        trial.called.append(f"what python {file} tests")
        parsed_file(trial, file)
        reached = names_reached(trial.source(file), anywhere=anywhere)
        wanted = f"{file} has tests" if anywhere else f"{file} has tests under its main guard"
        trial.expect(reached, wanted, "it has none")
        trial.expect(name in reached, f"the tests of {file} use {name}", "they do not")
        try:
            trial.play(file, *(["deck.txt"] * 20 if deck else []))
        except Failed as failure:
            if "AssertionError" not in failure.got:
                raise
            trial.accept(f"the tests of {file} find a mistake: {failure.got}")
        finally:
            trial.transcript = None  # the output of tests is not graded

    return check


def check_queue(trial: Trial) -> None:
    """Fail unless the deck's only private attribute is a circular queue for 52 cards.

    Further steps of the check can use the queue as ``queue``.
    """
    check_private(trial, "deck", 1)
    trial.do(f"(queue,) = {KIT}.attributes(deck).values()")
    trial.called.pop()
    kind = value_kind(trial, "queue")
    trial.expect(kind == "CircularQueue", "a CircularQueue of queues.py", f"a {kind}")
    capacity = trial.look("queue.capacity()")
    trial.expect(capacity == 52, "a capacity of 52", capacity)


def names_reached(source: str, *, anywhere: bool = False) -> set[str]:
    r"""Return the names used under a main guard and in the functions called there.

    With ``anywhere``, the names in all other executed code are also returned.

    >>> sorted(names_reached("def f(): Card()\nif __name__ == '__main__': f()"))
    ['Card', '__name__', 'f']
    """
    try:
        tree = parsed(source)
    except NOT_PYTHON:
        return set()
    functions = {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef)}
    passive = (ast.FunctionDef, ast.ClassDef, ast.Import, ast.ImportFrom)
    waiting: list[ast.AST] = [
        node
        for node in tree.body
        if not isinstance(node, passive) and (anywhere or _is_main_guard(node))
    ]
    if any(isinstance(node, ast.Name) and node.id == "unittest" for node in ast.walk(tree)):
        waiting += [node for node in tree.body if isinstance(node, ast.ClassDef)]
    reached: set[str] = set()
    while waiting:
        for node in ast.walk(waiting.pop()):
            names = [node.id] if isinstance(node, ast.Name) else []
            names += [node.attr] if isinstance(node, ast.Attribute) else []
            for name in names:
                if name not in reached and name in functions:
                    waiting.append(functions[name])
                reached.add(name)
    return reached


def _is_main_guard(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and "__name__" in ast.unparse(node.test)


def imported_by(node: ast.AST) -> list[str]:
    """Return the modules that a statement imports."""
    if isinstance(node, ast.ImportFrom):
        return [node.module or ""]
    return [alias.name for alias in node.names] if isinstance(node, ast.Import) else []


def globals_used(source: str) -> Iterator[tuple[int, str]]:
    """Yield a line and an error for each global variable that a function uses.

    Modules, functions and classes are not variables. Names that may come from ``from cards import
    *`` are not variables either.
    """
    tree = parsed(source)
    has_star = False
    for node in ast.walk(tree):
        has_star = has_star or (isinstance(node, ast.ImportFrom) and node.names[0].name == "*")
        if isinstance(node, ast.Global):
            yield node.lineno, f"{', '.join(node.names)} may not be global"
    table = symtable.symtable(source, "", "exec")
    assigned = {entry.get_name() for entry in table.get_symbols() if entry.is_assigned()}
    fine = {entry.get_name() for entry in table.get_symbols() if entry.is_imported()}
    fine |= {entry.get_name() for entry in table.get_symbols() if entry.is_namespace()}
    for function in _functions(table):
        for symbol in function.get_symbols():
            name = symbol.get_name()
            unknown = has_star and name not in assigned
            if symbol.is_global() and not unknown and not {name} & fine and name not in BUILTINS:
                text = f"uses {name}, which it has neither made nor been given"
                yield function.get_lineno(), f"{function.get_name()} {text}"


BUILTINS: Final = frozenset(dir(builtins))


def _functions(table: symtable.SymbolTable) -> list[symtable.SymbolTable]:
    inside = [function for child in table.get_children() for function in _functions(child)]
    return [*([table] if table.get_type() == "function" else []), *inside]
