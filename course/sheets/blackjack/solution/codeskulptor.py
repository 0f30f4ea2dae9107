"""``codeskulptor`` for a terminal, for programs that import it: nothing has a time limit here."""


def set_timeout(seconds: int) -> None:
    """Do nothing: a program may run as long as it likes."""


def file2url(name: str) -> str:
    """Return the address of one of CodeSkulptor's own files."""
    return f"http://codeskulptor-assets.commondatastorage.googleapis.com/{name}"
