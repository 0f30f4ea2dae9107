"""Names that votes, tournaments and insight use until they are ported."""

from web.classroom.models import Drill as Drill
from web.classroom.queries import Member as Member

Change = None
