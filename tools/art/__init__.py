"""Programs that draw the pictures of the site."""
