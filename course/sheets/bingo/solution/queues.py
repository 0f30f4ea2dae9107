"""The queues of the sheet's Lab 6: the same file as at the Simple 21 sheet.

The file is part of the lab and is not handed in; an exported folder has a copy of the file itself.
"""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__, "../../../../..").resolve()))

from course.sheets.simple21.solution.queues import BoundedQueue, CircularQueue

__all__ = ["BoundedQueue", "CircularQueue"]
