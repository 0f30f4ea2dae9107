"""QR codes, made by segno as SVG."""

from io import BytesIO
from typing import Final

import segno

_QUIET: Final = 4
"""So many modules of white there are around a code, as its standard asks."""


def svg_qr(text: str) -> bytes:
    """Return a QR code as a picture of its own, black on white."""
    out = BytesIO()
    code = segno.make(text, error="m", micro=False, boost_error=False)
    code.save(out, kind="svg", border=_QUIET, dark="#000", light="#fff", xmldecl=False, nl=False)
    return out.getvalue()


def inline_qr(text: str) -> str:
    """Return a QR code as an element of a page."""
    code = segno.make(text, error="m", micro=False)
    return code.svg_inline(border=_QUIET, dark="#000", light="#fff", svgclass="qr", omitsize=True)
