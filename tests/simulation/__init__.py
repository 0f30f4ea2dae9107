"""A day of a class in seconds: the site in memory, with the clock, shuffles and faults from a seed.

Each actor and each request runs in a greenlet. Whenever a request calls the database, the scheduler
may run other greenlets first, make the call fail before or after its write, or kill the worker.
Everything is derived from a single seed, so a day can be replayed by its seed.
"""
