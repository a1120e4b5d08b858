"""`device_map`: which device each storage is on, and what went between devices."""
