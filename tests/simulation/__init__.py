"""A class's day in seconds: the site on the memory store, with clock, luck and faults from a seed.

Each actor and each request runs in a greenlet. Whenever a request calls the store, the scheduler
may let others go first, fail the call before or after its write, kill the worker, or move the
clock. Everything is drawn from one seed, so a history can be replayed by its number.
"""
