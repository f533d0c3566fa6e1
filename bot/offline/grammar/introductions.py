"""How people say their own name, by language. Wider than the tables: the guard that reads it must
also hold where facts are extracted by a model."""

import re

_BY_LANGUAGE = {
    "en": r"my\s+(?:\w+\s+)?name\s+is|my\s+name[’']s|call\s+me|i\s+am|i[’']m|im|this\s+is|"
    r"people\s+call\s+me",
    "ru": r"меня\s+зовут|мо[её]\s+имя|зови(?:те)?\s+меня|называй(?:те)?\s+меня|(?<!\w)я\s*[-–—]?",
    "de": r"ich\s+hei(?:ß|ss)e|mein\s+name\s+ist|ich\s+bin(?:\s+(?:der|die))?|"
    r"nenn(?:e|t|en\s+sie)?\s+mich",
    "es": r"me\s+llamo|mi\s+nombre\s+es|(?:yo\s+)?soy|ll[aá]m(?:a|e|en)me|puedes\s+llamarme",
    "it": r"mi\s+chiamo|il\s+mio\s+nome\s+[eè]|mio\s+nome\s+[eè]|(?:io\s+)?sono|"
    r"chiamami|mi\s+chiami",
    "pt": r"(?:eu\s+)?me\s+chamo|chamo-me|(?:o\s+)?meu\s+nome\s+[eé]|(?:eu\s+)?sou(?:\s+[oa])?|"
    r"(?:pode\s+)?me\s+cham(?:e|ar)(?:\s+de)?|chama-me",
    "fr": r"je\s+m[’']appelle|mon\s+(?:pr[eé])?nom\s+est|je\s+suis|appell?e-moi|appelez-moi|"
    r"moi\s+c[’']est",
}

#: Matches the words right before the name.
INTRODUCTIONS = re.compile("|".join(rf"\b(?:{p})" for p in _BY_LANGUAGE.values()), re.IGNORECASE)
