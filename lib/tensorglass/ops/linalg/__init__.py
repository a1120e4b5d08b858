"""Products, decompositions and equations of vectors and matrices."""
