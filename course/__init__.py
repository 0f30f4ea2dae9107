"""The course kit: the sheets' exact classes and programs, the grader, and the hand-outs.

The kit needs only the standard library. The kit imports nothing from the site, and only texts from
:mod:`cardgames`.
"""
