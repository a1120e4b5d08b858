"""`holders`: who keeps memory alive, by the path to it."""
