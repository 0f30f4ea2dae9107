"""A runner for programs that were written for CodeSkulptor in Python 2.

These programs use few features of Python 2: the ``print`` statement, ``except X, e``, names such
as ``raw_input``, and functions that return lists. A program for Python 3 runs unchanged.
"""

import ast
import builtins
import io
import operator
import token
import tokenize
from collections.abc import Callable, Iterator
from functools import cache
from itertools import pairwise
from pathlib import Path
from types import CodeType
from typing import Any

Token = tokenize.TokenInfo

BLANK = {token.NEWLINE, token.INDENT, token.DEDENT, token.COMMENT, token.NL, token.ENCODING}
END = {token.NEWLINE, token.COMMENT, token.ENDMARKER}


def as_python3(source: str) -> str:
    """Return a program in Python 3, or raise SyntaxError if it is in neither Python 2 nor 3.

    >>> as_python3('print "Player:", 3,')
    'print("Player:", 3, end=" ")'
    """
    try:
        compile(source, "program", "exec")
    except SyntaxError:
        translated = _translated("\n".join(_untabbed(line) for line in source.split("\n")))
        compile(translated, "program", "exec")
        return translated
    return source


def run(path: Path, name: str = "__main__") -> dict[str, Any]:
    """Run a program for Python 2 or 3, and return its names."""
    code, is_old = compiled(path.read_text(encoding="utf-8", errors="replace"), str(path))
    names: dict[str, Any] = {"__name__": name, "__file__": str(path), IN_ORDER: in_order}
    if is_old:
        names |= OLD_NAMES
    exec(code, names)  # noqa: S102 - the purpose is to run programs
    return names


@cache
def compiled(source: str, path: str) -> tuple[CodeType, bool]:
    """Return a program's code, and whether it is for Python 2; cached for repeated runs."""
    source = source.lstrip("\ufeff")
    try:
        program = as_python3(source)
    except SyntaxError as error:
        error.filename = path
        raise
    tree = Comparisons().visit(ast.parse(program, path))
    return compile(tree, path, "exec"), program != source


IN_ORDER = "__in_order__"
ORDERS: dict[type[ast.cmpop], str] = {ast.Lt: "lt", ast.LtE: "le", ast.Gt: "gt", ast.GtE: "ge"}


class Comparisons(ast.NodeTransformer):
    """A transformer that allows any comparison, as in Python 2: ``hand.get_value > 16``."""

    def visit_Compare(self, node: ast.Compare) -> ast.expr:
        """Replace a comparison of two values with a call."""
        self.generic_visit(node)
        if len(node.ops) > 1 or type(node.ops[0]) not in ORDERS:
            return node
        order = ast.Constant(ORDERS[type(node.ops[0])])
        values = [order, node.left, node.comparators[0]]
        call = ast.Call(ast.Name(IN_ORDER, ast.Load()), values, [])
        return ast.fix_missing_locations(ast.copy_location(call, node))


def in_order(order: str, one: Any, other: Any) -> Any:
    """Compare two values.

    If Python 3 cannot compare the values, compare their types as Python 2 does.

    >>> in_order("gt", in_order, 16), in_order("lt", None, -1), in_order("ge", "21", 21)
    (True, True, True)
    """
    compare = getattr(operator, order)
    try:
        return compare(one, other)
    except TypeError:
        return compare(_kind(one), _kind(other))


def _kind(value: Any) -> str:
    """Return Python 2's sort key of a value: None first, then numbers, then other types."""
    if value is None or isinstance(value, int | float):
        return "" if value is None else " "
    return {"method": "instancemethod"}.get(type(value).__name__, type(value).__name__)


def _listed(function: Callable[..., Any]) -> Callable[..., list[Any]]:
    """Return a version of a function that returns a list instead of an iterable."""
    return lambda *arguments: list(function(*arguments))


OLD_NAMES: dict[str, Any] = {
    **{name: _listed(getattr(builtins, name)) for name in ("range", "map", "filter", "zip")},
    "xrange": range,
    "raw_input": input,
    "unicode": str,
    "long": int,
}
"""The functions that have another name in Python 2, or return a list there."""


def _untabbed(line: str) -> str:
    """Return a line with its indentation's tabs replaced by spaces, with stops of eight columns."""
    text = line.lstrip(" \t")
    return line[: len(line) - len(text)].expandtabs(8) + text


def _translated(source: str) -> str:
    """Return a program with its Python 2 features replaced."""
    lines = source.split("\n")
    for (row, column), end, text in sorted(_edits(source), reverse=True):
        line = lines[row - 1]
        if row == end[0]:
            lines[row - 1] = line[:column] + text + line[end[1] :]
    return "\n".join(lines)


Place = tuple[int, int]


def _edits(source: str) -> Iterator[tuple[Place, Place, str]]:
    """Yield replacements, each with its start and end in the source, in any order."""
    for statement in _statements(source):
        words = [each.string for each in statement]
        if words[0] == "print" and not _is_a_call(statement):
            yield from _print_edits(statement)
        elif words[0] == "except" and "," in words and "(" not in words:
            comma = statement[words.index(",")]
            yield comma.start, comma.end, " as"
        elif words[0] == "raise" and len(words) > 3 and words[2] == ",":
            yield statement[2].start, statement[3].start, "("
            yield statement[-1].end, statement[-1].end, ")"
        for each, after in pairwise(statement):
            if each.string + after.string == "<>" and each.end == after.start:
                yield each.start, after.end, "!="
            elif each.string == "<>":
                yield each.start, each.end, "!="


def _print_edits(statement: list[Token]) -> Iterator[tuple[Place, Place, str]]:
    """Yield the replacements that turn a print statement into a call."""
    word, *values = statement
    if not values:
        yield word.end, word.end, "()"
        return
    yield word.end, values[0].start, "("
    last = values[-1]
    if last.string == ",":
        yield last.start, last.end, ', end=" ")'
    else:
        yield last.end, last.end, ")"


def _is_a_call(statement: list[Token]) -> bool:
    """Return whether one pair of parentheses encloses all printed values, as in Python 3."""
    depth = 0
    for place, each in enumerate(statement[1:], start=1):
        depth += (each.string in ("(", "[", "{")) - (each.string in (")", "]", "}"))
        if depth == 0:
            return each.string == ")" and place == len(statement) - 1 and place > 1
    return False


def _statements(source: str) -> Iterator[list[Token]]:
    """Yield the tokens of each statement. The part before a colon is a statement of its own."""
    statement: list[Token] = []
    depth = 0
    try:
        for each in tokenize.generate_tokens(io.StringIO(source).readline):
            depth += (each.string in ("(", "[", "{")) - (each.string in (")", "]", "}"))
            colon = each.string == ":" and depth == 0 and "lambda" not in map(_string, statement)
            if each.type in END or (depth == 0 and each.string == ";") or colon:
                if statement:
                    yield statement
                statement = []
            elif each.type not in BLANK:
                statement.append(each)
    except (tokenize.TokenError, IndentationError):
        return


def _string(each: Token) -> str:
    """Return the text of a token."""
    return each.string
