"""`aliases`: who shares bytes with whom, and what keeps memory alive."""
