"""The languages of the pages: which one a reader gets, and how templates speak it.

English is written in the code and the templates; the other languages are gettext catalogues in
``translations/``, made and checked by ``make words``. A template prints a
:class:`~cardgames.words.Text` and it comes out in the reader's language. There is a Jinja
environment for each language, so a sentence without fields is translated once, when the template
is compiled. JSON is for programs and stays English.
"""

import gettext
import operator
from collections.abc import Callable, Hashable, MutableMapping
from functools import lru_cache
from pathlib import Path
from typing import Any, Final, cast

import flask
from flask.templating import Environment
from jinja2 import Template, nodes
from jinja2.compiler import CodeGenerator, Frame, MacroRef
from jinja2.runtime import Context
from jinja2.utils import missing
from jinja2.visitor import NodeTransformer
from markupsafe import Markup, escape
from werkzeug.http import parse_accept_header

from cardgames.text import Text, format_number, plural
from web.http.requests import current_request

FOLDER: Final = Path(__file__).parents[2] / "translations"

LANGUAGES: Final = {"en": "English", "de": "Deutsch"}
"""Every language by its code, by the name that its readers call it; the first is the default."""

COOKIE: Final = "language"
"""Where a reader's own choice is kept. It names a language and nothing else."""

_LONGEST: Final = 200
"""How much of a browser's list of languages is read, and remembered: theirs are shorter."""

Catalogue = gettext.NullTranslations

ENGLISH: Final = Catalogue()
"""The catalogue of the language that the sentences are written in."""


_SHORT: Final = 64
"""Texts of so many characters at most are remembered as they are printed."""

_REMEMBERED: Final = 4_096


def printer(catalogue: Catalogue) -> Callable[[Any], str]:
    """Return what a template prints values with: in a language, and escaped.

    It says the same as markupsafe's ``escape``, which makes a new string of every text that needs
    no escaping, and of every piece of markup another: a tenth of a page's cost.

    >>> print_value = printer(ENGLISH)
    >>> print_value("<b>"), print_value(Markup("<b>")), print_value(7)
    (Markup('&lt;b&gt;'), Markup('<b>'), '7')
    """
    recent = lru_cache(maxsize=_REMEMBERED)(escape)

    def print_value(value: Any) -> str:
        kind = type(value)
        if kind is Markup:
            return cast("str", value)
        if kind is int or kind is float:
            return str(value)
        if kind is str:
            text = value
        elif issubclass(kind, Text) and catalogue is not ENGLISH:
            text = value.translated(catalogue)
        elif issubclass(kind, str) or not hasattr(value, "__html__"):
            text = str(value)
        else:
            return escape(value)
        return recent(text) if len(text) <= _SHORT else escape(text)

    return print_value


class _Pages(CodeGenerator):
    """Compiles templates, all of which are HTML, to print by one call."""

    def _output_child_pre(self, *_: Any) -> None:
        self.write("environment.print_value(")

    def visit_Block(self, node: nodes.Block, frame: Frame) -> None:  # noqa: N802 - Jinja's own name
        """Join a block of the outermost template to one text.

        Jinja hands on its pieces, a hundred of them through each template that extends another.
        """
        if frame.toplevel and not (self.extends_so_far or node.scoped or node.required):
            self.writeline(f"yield concat(context.blocks[{node.name!r}][0](context))", node)
        else:
            super().visit_Block(node, frame)

    def visit_Getattr(self, node: nodes.Getattr, frame: Frame) -> None:  # noqa: N802 - as above
        """Ask Python for an attribute first, in place; Jinja's own way is a call for each."""
        name = repr(node.attr)
        self.write("(found if (found := getattr(of := ")
        self.visit(node.node, frame)
        self.write(f", {name}, missing)) is not missing else environment.getattr(of, {name}))")

    def visit_Call(  # noqa: N802 - as above
        self,
        node: nodes.Call,
        frame: Frame,
        forward_caller: bool = False,  # noqa: FBT001, FBT002 - Jinja's own signature
    ) -> None:
        """Call what is called as it is.

        Jinja looks first whether a function wants to be told of the context; none of ours does.
        """
        self.write("environment.call(")
        self.visit(node.node, frame)
        self.signature(node, frame, {"caller": "caller"} if forward_caller else None)
        self.write(")")

    def macro_def(self, macro_ref: MacroRef, frame: Frame) -> None:
        """Make a macro a function, unless it takes more than it names."""
        takes_more = macro_ref.accesses_kwargs or macro_ref.accesses_varargs
        if takes_more or macro_ref.accesses_caller or not isinstance(macro_ref.node, nodes.Macro):
            super().macro_def(macro_ref, frame)
        else:
            names = tuple(argument.name for argument in macro_ref.node.args)
            self.write(f"environment.macro(macro, {names!r})")


def _macro(function: Callable[..., str], names: tuple[str, ...]) -> Callable[..., Markup]:
    """Return a macro as a function that is called like one of Python's.

    Args:
        function: what Jinja has compiled; an argument that is missing has a default there.
        names: its arguments'.
    """
    count = len(names)

    def macro(*args: Any, **named: Any) -> Markup:
        if len(args) < count:
            args += tuple(named.pop(name, missing) for name in names[len(args) :])
        if named:
            raise TypeError(f"a macro has no argument {', '.join(named)}, or has it twice")
        return str.__new__(Markup, function(*args))  # its template has escaped it

    return macro


class _Names(dict[str, Any]):
    """Names and what they stand for; one that is not there stands for what Jinja calls missing."""

    def __missing__(self, _: str) -> Any:
        return missing


class _Known(Context):
    """What a template knows, in one dictionary: Jinja asks for each name in two."""

    def __init__(self, *args: Any, **named: Any) -> None:
        super().__init__(*args, **named)
        self.vars: dict[str, Any] = _Names(self.parent)
        self.resolve_or_missing = self.vars.__getitem__  # type: ignore[method-assign, assignment]


class LocalizedEnvironment(Environment):
    """Templates that speak one language."""

    code_generator_class = _Pages
    context_class = _Known
    macro = staticmethod(_macro)
    call = staticmethod(cast("Callable[..., Any]", operator.call))
    catalogue: Catalogue = ENGLISH
    print_value = staticmethod(printer(ENGLISH))

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Take what Flask's own takes."""
        super().__init__(*args, **kwargs)
        self.loaded: dict[str, Template] = {}

    def localized(self, code: str, catalogue: Catalogue) -> "LocalizedEnvironment":
        """Return the same templates in another language."""
        other = self.overlay()
        other.loaded = {}
        other.catalogue = catalogue
        other.print_value = printer(catalogue)
        other.globals = {**self.globals, "language": code}
        return other

    def make_globals(self, d: MutableMapping[str, Any] | None) -> MutableMapping[str, Any]:
        """Return what every template knows as one plain dictionary.

        Jinja chains two, and copies the chain for every page: that was a tenth of its cost.
        """
        return {**self.globals, **(d or {})}

    def _load_template(
        self,
        name: str,
        globals: MutableMapping[str, Any] | None,  # noqa: A002 - Jinja's own name
    ) -> Template:
        """Return a template from one dictionary.

        Jinja's own cache has a lock and an order of use, and a page asks it for ten templates.
        """
        if globals or self.auto_reload:
            return super()._load_template(name, globals)
        found = self.loaded.get(name)
        if found is None:
            found = self.loaded[name] = super()._load_template(name, globals)
        return found

    def _generate(
        self,
        source: nodes.Template,
        name: str | None,
        filename: str | None,
        defer_init: bool = False,  # noqa: FBT001, FBT002 - Jinja's own signature
    ) -> str:
        """Translate what needs no values while the template is compiled, not in every page."""
        _Constants(self.catalogue).visit(source)
        return super()._generate(source, name, filename, defer_init)


class _Constants(NodeTransformer):
    """Puts a language's words in the place of every ``_("…")`` without values."""

    def __init__(self, catalogue: Catalogue) -> None:
        self._catalogue = catalogue

    def visit_Call(self, node: nodes.Call) -> nodes.Node:  # noqa: N802 - Jinja's own name
        self.generic_visit(node)
        match node:
            case nodes.Call(
                node=nodes.Name(name="_"), args=[nodes.Const(value=str(text))], kwargs=[]
            ):
                return nodes.Const(self._catalogue.gettext(text), lineno=node.lineno)
        return node


def translate(value: Any, catalogue: Catalogue) -> Any:
    """Return a text in a language, and anything else as it is."""
    return value.translated(catalogue) if isinstance(value, Text) else value


@lru_cache(maxsize=2_048)
def remembered(macro: Callable[..., Markup], *values: Hashable) -> Markup:
    """Return what an imported macro makes of some values; of the same ones it makes it once.

    It is for macros that see nothing but their values, and are asked the same thing by many: the
    header, a pile of cards. Each language has macros of its own, so it remembers for each.
    """
    return macro(*values)


def register(app: flask.Flask) -> None:
    """Give an app's pages every language. Its templates' globals must be complete by then."""
    english = cast("LocalizedEnvironment", app.jinja_env)
    first, *others = LANGUAGES
    english.globals.update(
        _=Text,
        plural=plural,
        format_number=format_number,
        remembered=remembered,
        language=first,
        languages=LANGUAGES,
    )
    app.extensions["languages"] = {first: english} | {
        code: english.localized(code, catalogue(code)) for code in others
    }


def catalogue(code: str) -> Catalogue:
    """Return the catalogue of a language."""
    if code == next(iter(LANGUAGES)):
        return ENGLISH
    return gettext.translation("cardgames", FOLDER, [code])


def negotiated() -> str:
    """Return the code of the reader's language: what they chose, or what their browser asks for."""
    request = current_request()
    chosen = request.cookie(COOKIE)
    if chosen in LANGUAGES:
        return chosen
    return _negotiate(request.environ.get("HTTP_ACCEPT_LANGUAGE", "")[:_LONGEST])


def templates() -> LocalizedEnvironment:
    """Return the templates in the reader's language."""
    environments: dict[str, LocalizedEnvironment] = flask.current_app.extensions["languages"]
    return environments[negotiated()]


@lru_cache(maxsize=256)
def _negotiate(accepted: str) -> str:
    """Return the first of our languages in a header's order; of ``de-AT`` only ``de`` counts."""
    for tag, quality in parse_accept_header(accepted):
        code = tag.partition("-")[0].lower()
        if quality > 0 and code in LANGUAGES:
            return code
    return next(iter(LANGUAGES))
