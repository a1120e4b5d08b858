"""Pages for people: feedback for a learner, an overview of the class for its teacher. Each is one self-contained
file."""

from glassroom.classroom.pages.overview import ClassPage, class_page

__all__ = ["ClassPage", "class_page"]
