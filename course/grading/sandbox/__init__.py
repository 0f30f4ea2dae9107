"""The modules that are copied into a student's process; they import only each other."""
