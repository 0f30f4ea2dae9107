"""Grades a student's own files against the numbered requirements of their sheet.

A requirement is a numbered sentence of a sheet's ``requirements.md``. A check tests one of them on
a student's files. The student's code runs in a new process for each check, with limits, and under
bubblewrap if that is installed. The results are compared with the expected ones in another process.
"""
