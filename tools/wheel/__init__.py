"""How the site's wheel is built."""
