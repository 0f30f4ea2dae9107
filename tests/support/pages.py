"""The content of a page, read with CSS selectors."""

from functools import lru_cache

from bs4 import BeautifulSoup, Tag


@lru_cache(maxsize=1)
def page_of(text: str) -> BeautifulSoup:
    """Return a parsed page, which must not be changed. Repeated calls parse it only once."""
    return BeautifulSoup(text, "html.parser", multi_valued_attributes=None)


def only(text: str, selector: str) -> Tag:
    """Return the only element that a selector matches on a page."""
    (found,) = page_of(text).select(selector)
    return found


def texts(text: str, selector: str) -> list[str]:
    """Return the texts of the elements that a selector matches.

    Repeated spaces are removed.
    """
    return [" ".join(found.get_text().split()) for found in page_of(text).select(selector)]


def values(text: str, selector: str, attribute: str) -> list[str]:
    """Return the values of an attribute of the elements that a selector matches."""
    found = page_of(text).select(selector)
    return [str(element[attribute]) for element in found if element.has_attr(attribute)]
