"""The course kit: the sheets' exact classes and programs, their grader, and what is handed out.

It needs the standard library only. Of the site it knows nothing, and of :mod:`cardgames` the words.
"""
