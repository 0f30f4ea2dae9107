"""The students of a class: names, the class list, joining, leaving and their own page."""
