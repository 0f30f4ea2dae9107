"""Grades a student's own files against the numbered requirements of their sheet.

A requirement is a numbered sentence of ``docs/requirements``, a check tries one of them on a
student's files, and every check runs in a fresh process with limits. That keeps a program that
hangs, crashes or floods from stopping the grading; it is no sandbox.
"""
