def paragraphs(*parts: str) -> str:
    """Join the non-empty parts with blank lines."""
    return "\n\n".join(part for part in parts if part)
