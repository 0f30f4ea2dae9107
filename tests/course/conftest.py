"""Students' files are data: they are graded, and never collected."""

collect_ignore = ["solutions"]
