"""`device_map`: which device each storage is on, and what was transferred between devices."""
