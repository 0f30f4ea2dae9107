"""Processes that must not outlive the one that has started them."""

import multiprocessing
import os
import signal
import threading


def exit_with_parent() -> None:
    """Finish this process when its parent is gone, as if it had been told to.

    A worker that was left alone would keep the port, and serve beside the server that is started
    next.
    """
    parent = multiprocessing.parent_process()

    def wait() -> None:
        if parent:
            parent.join()
            os.kill(os.getpid(), signal.SIGTERM)

    threading.Thread(target=wait, daemon=True).start()
