"""What stands on a page, read by a parser."""

from html.parser import HTMLParser


class Page(HTMLParser):
    """A page: the attributes of its elements, and its texts with single spaces."""

    def __init__(self, text: str) -> None:
        """Read a page."""
        super().__init__()
        self.elements: list[tuple[str, dict[str, str]]] = []
        self.texts: list[list[str]] = []
        """For each element the texts within it."""

        self._open: list[tuple[str, list[str]]] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note an element."""
        self.elements.append((tag, {name: value or "" for name, value in attrs}))
        self.texts.append([])
        self._open.append((tag, self.texts[-1]))

    def handle_endtag(self, tag: str) -> None:
        """Note that an element ends."""
        while self._open and self._open.pop()[0] != tag:
            pass

    def handle_data(self, data: str) -> None:
        """Note a text for all elements around it."""
        for _, texts in self._open:
            texts.append(data)

    def values(self, attribute: str) -> list[str]:
        """Return the values of an attribute on all elements that have it."""
        return [attributes[attribute] for _, attributes in self.elements if attribute in attributes]

    def text_of(self, tag: str) -> list[str]:
        """Return the texts of all elements with a tag."""
        found = zip(self.elements, self.texts, strict=True)
        return [" ".join("".join(texts).split()) for (name, _), texts in found if name == tag]
