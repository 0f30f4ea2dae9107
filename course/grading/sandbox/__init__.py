"""The modules of a student's process. They are copied there, and import only each other."""
