"""`explore_strides`: what size, stride and offset make of a storage."""
