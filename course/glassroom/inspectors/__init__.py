"""The inspectors, a folder each: what it reads, how it draws that, and its widget."""
