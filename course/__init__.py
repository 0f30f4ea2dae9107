"""The course kit: the classes and programs that the sheets define, the grader, and the hand-outs.

The kit needs only the standard library. The kit imports nothing from the site, and only texts from
:mod:`cardgames`.
"""
