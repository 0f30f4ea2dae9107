"""The build of the site's wheel."""
