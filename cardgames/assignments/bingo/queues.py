"""The queues of the sheet's Lab 6: the same file as at the Simple 21 sheet."""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__, "../../../..").resolve()))

from cardgames.assignments.simple21.queues import BoundedQueue, CircularQueue

__all__ = ["BoundedQueue", "CircularQueue"]
