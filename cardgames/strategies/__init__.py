"""Strategies for the twenty-one tables: by name, as students' programs, and as habits.

A :class:`~.strategy.Strategy` is a rule of thumb or the best play. A student's ``decide(view)`` is
a :class:`~.program.Program`: it runs in a process of its own with limits and is sent what the page
shows and nothing else. Programs play the same deals against each other in
:mod:`cardgames.tournament`. A habit (:mod:`.habits`) is what players do again and again though
something else is better.
"""
