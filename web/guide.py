"""``/class/guide``: pages of ``docs`` for instructors and students, available without internet."""

import re
from functools import cache
from typing import Final, NamedTuple

import flask
from markdown_it import MarkdownIt
from markdown_it.token import Token
from markupsafe import Markup
from werkzeug.exceptions import NotFound

from web.http.i18n import request_language
from web.settings import ROOT

DOCS: Final = ROOT / "docs"
PICTURES: Final = DOCS / "pictures" / "class"
"""The images of the guides. The wheel does not include these images."""

FIRST: Final = "classroom"
TOPICS: Final = (
    "classroom-students",
    "classroom-bingo",
    "classroom-homework",
    "classroom-insight",
    "classroom-lessons",
    "classroom-privacy",
)
"""The guide's pages after the first, in the order of the guide's list."""

GUIDES: Final = (FIRST, *TOPICS, "student", "strategies", "lab", "course-kit", "hosting")
"""The served pages, keyed by file name. A link to any other page becomes plain text."""

_markdown: Final = MarkdownIt("commonmark", {"html": False}).enable("table")
_page: Final = re.compile(r"(?:\.\./)?([a-z-]+)\.md(#.*)?").fullmatch
_picture: Final = re.compile(r"(?:\.\./)?pictures/class/((?:de/)?[a-z-]+\.webp)").fullmatch
_site_url: Final = re.compile(r"/[a-z](?!.*CODE)[\w./?=&-]*").fullmatch
_no_word: Final = re.compile(r"[^\w\- ]")

blueprint = flask.Blueprint("guide", __name__)


class Guide(NamedTuple):
    """A page of the docs."""

    name: str
    title: str
    language: str
    """The language of the page. Only the seven steps of :data:`FIRST` are translated."""

    html: Markup
    sections: tuple[tuple[str, str], ...]
    """The anchor and the title of each section."""


@blueprint.get("/class/guide")
@blueprint.get("/class/guide/<name>")
def show(name: str = FIRST) -> str:
    """Show a page of the docs, in the reader's language if a translation exists."""
    if name not in GUIDES or not (DOCS / f"{name}.md").is_file():
        raise NotFound
    names = (name, *TOPICS) if name in TOPICS else (name,)
    page, *topics = (guide(topic, request_language(), flask.url_for(".show")) for topic in names)
    return flask.render_template("class/guide.html", page=page, topics=topics)


@blueprint.get("/class/guide/pictures/<path:name>")
def show_picture(name: str) -> flask.Response:
    """Return an image of the guides."""
    if not _picture(f"pictures/class/{name}") or not (PICTURES / name).is_file():
        raise NotFound
    return flask.Response((PICTURES / name).read_bytes(), mimetype="image/webp")


@cache
def guide(name: str, language: str, first: str) -> Guide:
    """Return a page of the docs as HTML, in English if the page is not translated.

    The page's links to the guide's other pages are relative to ``first``, the URL of the first
    page.
    """
    path = DOCS / language / f"{name}.md"
    if not path.is_file():
        path, language = DOCS / f"{name}.md", "en"
    tokens = _markdown.parse(path.read_text(encoding="utf-8"))
    title, sections = "", []
    for index, token in enumerate(tokens):
        token.attrs.pop("style", None)  # The site's CSP forbids inline styles.
        match token.type:
            case "heading_open":
                heading = tokens[index + 1].content
                token.attrSet("id", heading_anchor(heading))
                title = title or heading
                if token.tag == "h2":
                    sections.append((heading_anchor(heading), heading))
            case "table_open":
                # A wide table can be scrolled by touch and with the keyboard.
                token.attrSet("tabindex", "0")
            case "th_open" if not tokens[index + 1].content:
                token.tag = tokens[index + 2].tag = "td"  # An empty cell is not a header.
            case "inline":
                token.children = _with_links(token.children or [])
                if name != "hosting":  # The paths in the hosting guide are paths on the machine.
                    root = first.removesuffix("/class/guide")
                    token.children = _with_site_links(token.children, root)
    # The docs are trusted, but HTML in them is nevertheless rendered as text.
    html = Markup(_markdown.renderer.render(tokens, _markdown.options, {}))  # noqa: S704 - our own docs
    return Guide(name, title, language, html, tuple(sections))


def heading_anchor(heading: str) -> str:
    """Return the anchor of a heading, in the format that GitHub uses.

    >>> heading_anchor("From the first link to the first BINGO!")
    'from-the-first-link-to-the-first-bingo'
    """
    return _no_word.sub("", heading.lower()).replace(" ", "-")


def _with_links(children: list[Token]) -> list[Token]:
    """Replace link targets with the URLs of served pages, and omit missing images.

    A link to any other file is replaced by the link's text.
    """
    tokens, leads = [], True
    for child in children:
        if child.type == "image":
            picture = _picture(str(child.attrGet("src") or ""))
            if not picture or not (PICTURES / picture[1]).is_file():
                continue
            child.attrSet("src", flask.url_for("guide.show_picture", name=picture[1]))
            child.attrSet("loading", "lazy")
        if child.type == "link_open":
            address = _served(str(child.attrGet("href") or ""))
            child.attrSet("href", address)
            leads = bool(address)
        if leads or child.type not in ("link_open", "link_close"):
            tokens.append(child)
    return tokens


def _with_site_links(children: list[Token], root: str) -> list[Token]:
    """Turn the site's URLs in code, such as ``/lab``, into links.

    ``root`` is the site's prefix.
    """
    linked = []
    for child in children:
        if child.type == "code_inline" and _site_url(child.content):
            opening = Token("link_open", "a", 1, attrs={"href": root + child.content})
            linked += [opening, child, Token("link_close", "a", -1)]
        else:
            linked.append(child)
    return linked


def _served(href: str) -> str:
    """Return the site's URL for a link in the docs, or an empty string."""
    if href.startswith("#"):
        return href
    page = _page(href)
    if page and page[1] in GUIDES:
        name = None if page[1] == FIRST else page[1]
        return flask.url_for("guide.show", name=name) + (page[2] or "")
    return ""
