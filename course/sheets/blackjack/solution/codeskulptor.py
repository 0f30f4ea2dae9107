"""``codeskulptor`` for programs in a terminal, which have no time limit."""


def set_timeout(seconds: int) -> None:
    """Do nothing, because programs have no time limit here."""


def file2url(name: str) -> str:
    """Return the URL of one of CodeSkulptor's own files."""
    return f"http://codeskulptor-assets.commondatastorage.googleapis.com/{name}"
