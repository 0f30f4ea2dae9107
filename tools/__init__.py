"""Tools that draw, measure, build and set up; nothing here runs on the server."""
