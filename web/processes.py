"""Ends a process with its parent."""

import multiprocessing
import os
import signal
import threading


def exit_with_parent() -> None:
    """End this process with SIGTERM when its parent is gone.

    An orphaned worker would keep the port, and serve beside the server that is started next.
    """
    parent = multiprocessing.parent_process()

    def wait() -> None:
        if parent:
            parent.join()
            os.kill(os.getpid(), signal.SIGTERM)

    threading.Thread(target=wait, daemon=True).start()
