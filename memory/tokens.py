"""How many tokens a text costs, before any model has counted them. Pure."""


def estimate_tokens(text: str) -> int:
    """How many tokens a text may cost, on the high side: a token is taken as three bytes of
    UTF-8, where English averages above four and Cyrillic, CJK and emoji come near three."""
    return -(-len(text.encode("utf-8", "replace")) // 3)
