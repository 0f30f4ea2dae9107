"""Tools for pictures, measurements, builds and set-up; nothing here runs on the server."""
