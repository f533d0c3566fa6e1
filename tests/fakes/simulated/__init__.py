"""The store and AWS in one thread and a time of its own: days pass in milliseconds."""
