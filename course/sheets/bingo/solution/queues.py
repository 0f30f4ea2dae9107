"""The queues of the sheet's Lab 6, imported from the Simple 21 sheet.

Students get the file in the lab and do not submit it. Exported folders have the original file.
"""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__, "../../../../..").resolve()))

from course.sheets.simple21.solution.queues import BoundedQueue, CircularQueue

__all__ = ["BoundedQueue", "CircularQueue"]
