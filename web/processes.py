"""Processes that end when their parent ends."""

import multiprocessing
import os
import signal
import threading


def exit_with_parent() -> None:
    """Arrange for this process to receive SIGTERM when its parent ends.

    An orphaned worker would hold the port and respond to requests that are meant for the next
    server.
    """
    parent = multiprocessing.parent_process()

    def wait() -> None:
        if parent:
            parent.join()
            os.kill(os.getpid(), signal.SIGTERM)

    threading.Thread(target=wait, daemon=True).start()
