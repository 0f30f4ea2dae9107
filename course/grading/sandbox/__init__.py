"""The modules that are copied into a student's process. They import only each other."""
