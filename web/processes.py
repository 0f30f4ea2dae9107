"""Processes that end with their parent."""

import multiprocessing
import os
import signal
import threading


def exit_with_parent() -> None:
    """End this process with SIGTERM when its parent has ended.

    An orphaned worker would hold the port and answer requests of the next server.
    """
    parent = multiprocessing.parent_process()

    def wait() -> None:
        if parent:
            parent.join()
            os.kill(os.getpid(), signal.SIGTERM)

    threading.Thread(target=wait, daemon=True).start()
