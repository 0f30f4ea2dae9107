"""The modules of a student's process. They are copied there, and need only each other."""
