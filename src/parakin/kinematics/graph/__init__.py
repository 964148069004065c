"""The motion of any mechanism with loops, symbolic: links along a tree, rows of cut joints, sparse elimination."""
