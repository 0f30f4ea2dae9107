"""What a sheet asks of the form of a file, checked in its source; nothing is run.

These are public names, private attributes, imports, jumps and global variables.
"""

import ast
import builtins
import symtable
from collections.abc import Iterator
from typing import NamedTuple, TypeGuard

from course.grading.notebooks import NOT_PYTHON
from course.grading.sheets import Sheet


class Finding(NamedTuple):
    """Something that is not as the sheet asks: the line, 0 for the whole file, and a sentence."""

    line: int
    text: str


def findings(sheet: Sheet, file: str, source: str) -> list[Finding]:
    """Return what a file does against the form of its sheet, in the order of its lines."""
    try:
        tree = ast.parse(source)
    except NOT_PYTHON as error:
        line = error.lineno or 0 if isinstance(error, SyntaxError) else 0
        said = error.msg if isinstance(error, SyntaxError) else str(error) or type(error).__name__
        return [Finding(line, f"this is not Python: {said}")]
    found = [*_interfaces(sheet, file, tree)]
    defined = {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}
    missing = [name for name in sheet.functions_of(file) if name not in defined]
    found += [Finding(0, f"there is no function {name}") for name in missing]
    if sheet.private_attributes:
        found += _public_attributes(tree)
    if sheet.imports is not None:
        found += _imports(tree, sheet.imports)
    if sheet.forbids_jumps:
        found += _jumps(tree)
    if sheet.forbids_globals:
        found += globals_used(source, file)
    return sorted(found)


def _interfaces(sheet: Sheet, file: str, tree: ast.Module) -> Iterator[Finding]:
    classes = {node.name: node for node in tree.body if isinstance(node, ast.ClassDef)}
    for name, names in sheet.classes_of(file).items():
        if name not in classes:
            yield Finding(0, f"there is no class {name}")
            continue
        there = _public_names(classes[name])
        inherited = _inherited(classes[name], classes)
        has = {*there, *inherited} | _attributes(classes[name])
        wanted = set(names.split())
        if file == "war.py" and not _attributes(classes[name]):
            wanted -= {"rank", "suit", "suit_str", "rank_str"}  # a stub, which makes none yet
        here = {*classes, *dir(builtins)}
        bases = classes[name].bases
        known = all(isinstance(base, ast.Name) and base.id in here for base in bases)
        for missing in sorted(wanted - has if known else ()):
            yield Finding(classes[name].lineno, f"{name} has no {missing}")
        for extra in sorted({*there} - set(names.split()) - {*inherited}):
            if sheet.private_attributes:
                said = f"{name}.{extra} is public, and the sheet does not name it"
                yield Finding(there[extra], f"{said}: begin it with __")


def _public_names(node: ast.ClassDef) -> dict[str, int]:
    names = {}
    for each in node.body:
        if isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            names[each.name] = each.lineno
        for target in getattr(each, "targets", [getattr(each, "target", None)]):
            if isinstance(target, ast.Name):
                names[target.id] = each.lineno
    return {name: line for name, line in names.items() if not name.startswith("_")}


def _inherited(node: ast.ClassDef, classes: dict[str, ast.ClassDef]) -> dict[str, int]:
    """Return the public names that a class has of others in the same file."""
    names: dict[str, int] = {}
    for base in node.bases:
        if isinstance(base, ast.Name) and base.id in classes and base.id != node.name:
            names |= _inherited(classes[base.id], classes) | _public_names(classes[base.id])
    return names


def _attributes(node: ast.ClassDef) -> set[str]:
    """Return the names that a class gives to ``self``."""
    return {each.attr for each in ast.walk(node) if _is_own(each)}


def _is_own(node: ast.AST) -> TypeGuard[ast.Attribute]:
    """Say whether this gives a value to an attribute of ``self``."""
    return (
        isinstance(node, ast.Attribute)
        and isinstance(node.ctx, ast.Store)
        and isinstance(node.value, ast.Name)
        and node.value.id == "self"
    )


def _public_attributes(tree: ast.Module) -> Iterator[Finding]:
    for node in ast.walk(tree):
        exception = isinstance(node, ast.ClassDef) and node.name.endswith(("Exception", "Error"))
        if not isinstance(node, ast.ClassDef) or exception:
            continue
        seen = set()
        for each in ast.walk(node):
            if _is_own(each) and each.attr[:1] != "_":
                if each.attr not in seen:
                    text = f"the attribute {each.attr} of {node.name} is public: begin it with __"
                    yield Finding(each.lineno, text)
                seen.add(each.attr)


def _imports(tree: ast.Module, allowed: tuple[str, ...]) -> Iterator[Finding]:
    for node in ast.walk(tree):
        for name in imported_by(node):
            if name not in allowed:
                line = getattr(node, "lineno", 0)
                yield Finding(line, f"{name} may not be imported; only {', '.join(allowed)} may")


def imported_by(node: ast.AST) -> list[str]:
    """Return the modules that a statement imports."""
    if isinstance(node, ast.ImportFrom):
        return [node.module or ""]
    return [alias.name for alias in node.names] if isinstance(node, ast.Import) else []


def _jumps(tree: ast.Module) -> Iterator[Finding]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Break | ast.Continue):
            word = type(node).__name__.lower()
            yield Finding(node.lineno, f"{word} may not be used")


def globals_used(source: str, file: str) -> Iterator[Finding]:
    """Yield the variables that functions use and have not made themselves.

    Modules, functions and classes of the file are not variables.
    """
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Global):
            yield Finding(node.lineno, f"{', '.join(node.names)} may not be global")
    table = symtable.symtable(source, file, "exec")
    fine = {each.get_name() for each in table.get_symbols() if each.is_imported()}
    fine |= {each.get_name() for each in table.get_symbols() if each.is_namespace()}
    for function in _functions(table):
        for symbol in function.get_symbols():
            name = symbol.get_name()
            if symbol.is_global() and name not in fine and not hasattr(builtins, name):
                text = f"uses {name}, which it has neither made nor been given"
                yield Finding(function.get_lineno(), f"{function.get_name()} {text}")


def _functions(table: symtable.SymbolTable) -> list[symtable.SymbolTable]:
    inside = [each for child in table.get_children() for each in _functions(child)]
    return [*([table] if table.get_type() == "function" else []), *inside]
