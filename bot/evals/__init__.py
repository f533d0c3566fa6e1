"""How well the memory works, measured on data that the caller brings."""
