"""A class's day in seconds: the site in memory, with clock, luck and faults from a seed.

Each actor and each request runs in a greenlet. Whenever a request calls the database, the scheduler
may run others first, fail the call before or after its write, kill the worker, or move the clock.
Everything is derived from one seed, so a history can be replayed by its number.
"""
