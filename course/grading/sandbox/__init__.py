"""The modules that are copied into a student's process. These modules import only each other."""
