"""The lab: thousands of games at once, played beside the requests."""

from web.simulation.lab import register, worker_process

__all__ = ["register", "worker_process"]
