"""A notebook before a class: slides with live inspectors, and what the class answers, as bars."""
