"""The students of a class: names, the class list, joining, leaving and the students' own page."""
