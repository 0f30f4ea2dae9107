"""The course kit: the sheets' exact classes and programs, their grader, and the hand-outs.

It needs only the standard library. It imports nothing of the site, and only texts of
:mod:`cardgames`.
"""
