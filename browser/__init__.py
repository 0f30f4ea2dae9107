"""What runs in a student's own browser: their classes checked, at the table, and step by step.

Nothing here is run on the server. It is plain Python that a worker of the page imports
(``browser/worker.js``), so it may use :mod:`cardgames` and :mod:`course`, and nothing of the site.
"""
