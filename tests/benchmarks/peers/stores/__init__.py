"""One adapter a store. Each is imported in the environment of its store alone."""
