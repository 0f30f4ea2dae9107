"""Pages and JSON, smaller on their way: gzip at its quickest, for whoever says that they read it.

A page shrinks to a third for a fortieth of what it costs to make. No answer has a secret in it that
an attacker could guess at by its length: what is hidden is in no answer at all.
"""

import zlib
from typing import Final

LEAST: Final = 1_000
"""From how many bytes on it pays: less than that fits one packet anyhow."""

_LEVEL: Final = 1
_GZIP: Final = 31
"""What tells zlib to write gzip's header."""


def compressed(body: bytes) -> bytes:
    """Return a body as gzip."""
    packer = zlib.compressobj(_LEVEL, zlib.DEFLATED, _GZIP)
    return packer.compress(body) + packer.flush()


def reads_gzip(accepted: str) -> bool:
    """Say whether a browser reads gzip, by what it says that it accepts.

    >>> reads_gzip("gzip, deflate, br"), reads_gzip("br, gzip;q=0"), reads_gzip("")
    (True, False, False)
    """
    return "gzip" in accepted and "gzip;q=0" not in accepted.replace(" ", "").replace("q=0.", "")
