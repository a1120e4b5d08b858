"""Views: another header on the same storage."""
