"""Strategies for the twenty-one tables: rules of thumb, students' programs, and habits.

A :class:`~.strategy.Strategy` is a rule of thumb or the best play. A student's ``decide(view)`` is
a :class:`~.program.Program`. A student's program runs in its own process with limits, and receives
only the view that the page shows. Programs play the same deals against each other in
:mod:`cardgames.tournament`. A habit (:mod:`.habits`) is a mistake that players repeat.
"""
