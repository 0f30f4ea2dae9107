"""Runs a student's own classes in their browser: checks them, deals with them, steps through them.

Nothing here is run on the server. It is plain Python that a worker of the page imports
(``browser/worker.js``), so it may use :mod:`cardgames` and :mod:`course`, and nothing of the site.
"""
