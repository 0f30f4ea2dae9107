"""``python -m cardgames.verify FILE``: check an exported history (:mod:`.records.verify`)."""

import sys

from cardgames.records.verify import main

if __name__ == "__main__":
    sys.exit(main())
