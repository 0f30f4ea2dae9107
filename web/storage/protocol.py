"""The names under which the classroom's own stores, which are on their way out, know the store."""

from web.storage.store import StoreUnavailable

__all__ = ["StoreUnavailable"]
