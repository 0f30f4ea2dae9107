"""Starter stubs: a sheet's classes and methods with their docstrings, but without code."""

import ast
from collections.abc import Collection, Iterator
from copy import deepcopy
from textwrap import indent
from typing import Final

TO_DO: Final = 'raise NotImplementedError("to do")'

HEADER: Final = "# Author:\n# Collaborators and references:\n"

OURS: Final = ("typing", "collections.abc", "os", "sys", "contextlib")
"""Modules that our solutions import for types and pipes, and that the sheets do not mention."""


def stub(source: str, classes: Collection[str], functions: Collection[str] = ()) -> str:
    """Return a file of our solution, reduced to some of its functions and methods.

    All other code is removed, including private helpers, constants, tests and annotations.
    Exception classes stay unchanged, because their sheets define them.
    """
    tree = ast.parse(source)
    docstring = ast.get_docstring(tree) or ""
    imports = [node for node in tree.body if isinstance(node, ast.Import | ast.ImportFrom)]
    parts = ["\n".join(ast.unparse(node) for node in imports if _is_for_students(node))]
    parts += [
        ast.unparse(ast.fix_missing_locations(node))
        for node in _kept(tree, classes, {*functions, "main"})
    ]
    return f'{HEADER}"""{docstring}"""\n\n' + "\n\n\n".join(filter(None, parts)) + "\n"


def _is_for_students(node: ast.Import | ast.ImportFrom) -> bool:
    names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
    names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
    return not any(name in (*OURS, "__future__") for name in names)


def _kept(
    tree: ast.Module, classes: Collection[str], functions: Collection[str]
) -> Iterator[ast.stmt]:
    """Yield the classes, the functions and the main guard of a stub."""
    for node in tree.body:
        if isinstance(node, ast.ClassDef) and node.name in classes:
            given = [ast.unparse(base) for base in node.bases] == ["Exception"]
            yield _bare(node) if given else _emptied_class(node)
        elif isinstance(node, ast.FunctionDef) and node.name in functions:
            yield _emptied(node, 1)
    has_main = any(isinstance(node, ast.FunctionDef) and node.name == "main" for node in tree.body)
    yield from ast.parse(f'if __name__ == "__main__":\n    {"main()" if has_main else "pass"}').body


def _emptied_class(node: ast.ClassDef) -> ast.ClassDef:
    methods: list[ast.stmt] = [
        _emptied(statement, 2)
        for statement in node.body
        if isinstance(statement, ast.FunctionDef) and _is_public(statement.name)
    ]
    bases: list[ast.expr] = [base for base in node.bases if isinstance(base, ast.Name)]
    body = [*_said(node, 1), *methods]
    return ast.ClassDef(name=node.name, bases=bases, keywords=[], body=body, decorator_list=[])


def _is_public(name: str) -> bool:
    return not name.startswith("_") or (name.startswith("__") and name.endswith("__"))


def _emptied(node: ast.FunctionDef, depth: int) -> ast.FunctionDef:
    """Return a function with its name, its arguments and its docstring."""
    arguments = deepcopy(node.args)
    for argument in (*arguments.args, *arguments.kwonlyargs):
        argument.annotation = None
    body = [*_said(node, depth), *ast.parse(TO_DO).body]
    return ast.FunctionDef(
        name=node.name, args=arguments, body=body, decorator_list=node.decorator_list
    )


def _bare(node: ast.ClassDef) -> ast.ClassDef:
    """Return a class with its code, but without annotations."""
    bare = deepcopy(node)
    for part in ast.walk(bare):
        if isinstance(part, ast.ClassDef | ast.FunctionDef):
            text = _said(part, 1 if part is bare else 2)
            part.body = [*text, *part.body[len(text) :]]
        if isinstance(part, ast.FunctionDef):
            part.returns = None
        elif isinstance(part, ast.arg):
            part.annotation = None
    return bare


def _said(node: ast.ClassDef | ast.FunctionDef, depth: int) -> list[ast.stmt]:
    """Return a docstring with its lines indented for this depth.

    The original indentation is unknown, because browsers use newer versions of Python that remove
    the indentation of docstrings.
    """
    docstring = ast.get_docstring(node)
    if not docstring:
        return []
    margin = "    " * depth
    lines = indent(docstring, margin).lstrip()
    return [ast.Expr(ast.Constant(f"{lines}\n{margin}" if "\n" in lines else lines))]
