def paragraphs(*parts: str) -> str:
    """These parts one below the other, without the empty ones."""
    return "\n\n".join(part for part in parts if part)
