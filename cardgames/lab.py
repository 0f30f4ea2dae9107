"""``python -m cardgames.lab``: thousands of games at once, in a terminal."""

import sys

from cardgames.simulation.command_line import main

if __name__ == "__main__":
    sys.exit(main())
