"""The inspectors, one folder for each: what it reads, how it draws that, and its widget."""
