"""Runs, checks and steps through a student's classes in the student's browser.

Nothing in this package runs on the server. A web worker of the page imports this package
(``course/browser/worker.js``), so it may use :mod:`cardgames` and :mod:`course`, but nothing from
the site.
"""
