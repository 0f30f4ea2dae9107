"""Syntax trees of students' files."""

import ast
from threading import Lock
from typing import Final

NOT_PYTHON: Final = (SyntaxError, ValueError, MemoryError, RecursionError)
"""Exceptions of :func:`parsed`. The last three exceptions occur for null bytes and for source that
is nested too deeply.
"""

_PARSING: Final = Lock()


def parsed(source: str) -> ast.Module:
    """Return the syntax tree of a module.

    Only one thread parses at a time. Python 3.11 adds up the depths of all trees that are being
    built, and raises SystemError ("AST constructor recursion depth mismatch") if two threads parse
    concurrently.
    """
    with _PARSING:
        return ast.parse(source)
