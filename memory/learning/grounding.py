"""Which of a text's words are the user's own, and whether they meant it. For any language.

Two questions, both answered from words and not by a model. `is_grounded`: are these their words,
with the names and numbers they said? `is_meant`: did they state it of themselves, or did they ask,
wish, joke, deny it, or say it of somebody else ("my sister works at Acme" is not "I work at Acme")?
The lists of small words cover the main languages; in others only the first question and what
punctuation shows is answered."""

import re
from collections.abc import Iterable

#: Share of a text's words that must stand in what the user said. Below 1 because models put "my"
#: for "our" and a name for "he".
GROUNDED_SHARE = 0.6

_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)?")
_UNSPACED = r"\u0e00-\u0e7f\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af"
_NO_SPACES = re.compile(f"[{_UNSPACED}]")
#: What an apostrophe joins, and how it reads apart.
_JOINED = (
    (re.compile(r"\bcan(?:'t|not)\b", re.IGNORECASE), "can not"),
    (re.compile(r"\bwon't\b", re.IGNORECASE), "will not"),
    (re.compile(r"(?<=\w)n't\b", re.IGNORECASE), " not"),
    (re.compile(r"(?<=\w)'(?:m|s|re|ve|ll|d)\b", re.IGNORECASE), ""),
    (re.compile(r"\b(j|n)'(?=\w)", re.IGNORECASE), r"\1e "),
    (re.compile(r"\b[ldmstc]'(?=\w)", re.IGNORECASE), ""),
)

NEGATIONS = frozenset(
    "no not never none nobody nothing neither nor cannot dont doesnt didnt isnt cant wont without "
    "нет не никогда ни без kein keine keinen keinem keiner nicht nie niemals ohne nada nunca jamás "
    "tampoco sin ne n pas jamais sans non senza não nem jamais sem nie नहीं 不 没 無 无 "
    "ない".split()
)

#: Words that add nothing to a statement, so that with and without them it is the same one.
NOISE = (
    frozenset(
        "a an the i im am is are be my our we so do does please really very actually just also "
        "totally "
        "definitely quite at for in on to of it that and "
        "called named name names "
        "я мы мой моя моё мое мои у меня мне в на и очень просто это есть зовут "
        "ich bin mein meine meinen meiner wir ist sind der die das den dem ein eine einen einer "
        "im in "
        "am bei und wirklich sehr heiße heißt heisse heisst "
        "yo soy mi mis me es el la los las un una en y realmente muy mucho llamo llama se que de "
        "io sono mio mia miei il lo gli le uno è a al e molto davvero chiamo chiama si che di "
        "eu sou meu minha meus o os as um uma em no é muito chamo chama "
        "je suis mon ma mes est le les des une à au et très vraiment appelle du "
        "的 是 了 我 很 也 は が を に で です ます の".split()
    )
    - NEGATIONS
)

#: Words that come and go when somebody changes their mind.
FILLERS = frozenset(
    "actually now any anymore more longer really do does did have be am been still again yet "
    "больше теперь уже сейчас mehr jetzt inzwischen ya más ahora più adesso ormai mais agora já "
    "plus maintenant désormais 现在 已经".split()
)

#: Small numbers as words.
NUMERALS = frozenset(
    "two three four five six seven eight nine ten zwei drei vier fünf sechs sieben acht neun zehn "
    "dos tres cuatro cinco seis due tre quattro cinque sei dois duas três quatro deux trois "
    "quatre cinq "
    "два две двое три трое четыре четверо пять шесть 两 二 三 四 五 六".split()
)

_FIRST_PERSON = frozenset(
    "i im i'm i've i'd i'll ive me myself we we're we've us ich mich mir wir uns я мне меня мной "
    "мы "
    "нам нас yo me nosotros nos io ci eu je j moi nous 我 我们 私 僕 俺".split()
)
_POSSESSIVES = frozenset(
    "my our mein meine meinen meinem meiner unser unsere mi mis nuestro nuestra mio mia miei mie "
    "nostro nostra meu minha meus minhas nosso nossa mon ma mes notre nos мой моя моё мое мои "
    "моего "
    "моей моему моим мою наш наша наши".split()
)
_OTHERS = frozenset(
    "he she they her his their him them who er sie ihr он она они его её их él ella ellos lui lei "
    "loro ele ela eles il elle ils sister brother mother father mom mum dad wife husband partner "
    "girlfriend boyfriend friend boss colleague neighbour neighbor roommate cousin uncle aunt son "
    "daughter grandmother grandfather schwester bruder mutter vater mama papa frau mann freund "
    "freundin chef chefin kollege kollegin nachbar nachbarin sohn tochter oma opa сестра брат мама "
    "мать папа отец жена муж друг подруга начальник коллега сосед соседка сын дочь дочка бабушка "
    "дедушка hermana hermano madre padre mamá papá esposa esposo marido novia novio amigo amiga "
    "jefe jefa vecino vecina hijo hija abuela abuelo sorella fratello mamma papà moglie fidanzata "
    "fidanzato amico amica capo collega vicino figlio figlia nonna nonno irmã irmão mãe pai "
    "namorada namorado chefe filho filha avó soeur sœur frère mère père femme mari copine copain "
    "ami amie collègue voisin voisine fils fille".split()
)
_OTHERS_UNSPACED = re.compile(
    "他|她|彼女|彼|姐姐|妹妹|姐|哥哥|哥|弟弟|妈妈|爸爸|老婆|老公|妻子|丈夫|朋友|同事|邻居|老板|"
    "儿子|女儿|"
    "爷爷|奶奶|姉|妹|兄|弟|母|父|妻|夫|友達|息子|娘|同僚|상사|친구|누나|언니|오빠|동생"
)
_NOW = frozenset(
    "now currently today still also just yesterday lately jetzt heute gestern zurzeit seit "
    "сейчас теперь сегодня вчера раньше ещё ahora hoy ayer actualmente adesso oggi ieri ora "
    "attualmente "
    "agora hoje ontem atualmente maintenant hier aujourd actuellement".split()
)

_JOKE = re.compile(
    r"\b(?:just|only)\s+(?:kidding|joking)\b|\bjk\b|\bi(?:'m| am| was)\s+(?:only\s+|"
    r"just\s+)?(?:kidding|joking)\b|(?<!\S)/s\b|"
    r"\b(?:war\s+(?:nur\s+)?(?:ein\s+)?(?:spaß|scherz|witz)|kleiner\s+(?:scherz|spaß)|nur\s+spaß|"
    r"(?:ich\s+)?mach\w*\s+nur\s+spaß)\b|"
    r"\b(?:es|era)\s+(?:una\s+)?broma\b|\bbromeo\b|\bestoy\s+bromeando\b|\b(?:sto\s+)?scherz(?:o|"
    r"avo|ando)\b|"
    r"\b(?:è|era)\s+uno\s+scherzo\b|\b(?:é|era)\s+brincadeira\b|\bbrincando\b|"
    r"\bje\s+(?:plaisante|rigole)\b|"
    r"\bc'est\s+une\s+blague\b|(?<!\w)(?:шучу|шутка|пошутил[аи]?)\b|开玩笑|開玩笑|冗談|농담",
    re.IGNORECASE,
)
_UNREAL = re.compile(
    r"\b(?:if|unless|wish|imagine|pretend|suppose|what\s+if|would(?!\s+(?:like|love|prefer|"
    r"rather))|could\s+have)\b|"
    r"\b(?:wenn|falls|würde|würden|wäre|wären|hätte|hätten|könnte)\b|(?<!\w)(?:если|бы|"
    r"представь\w*|допустим)(?!\w)|"
    r"\bsi\s+(?:yo\s+)?(?:fuera|fuese|tuviera|tuviese|pudiera|ganara|viviera)\b|\bojalá\b|"
    r"\bse\s+(?:io\s+|eu\s+)?(?:fossi|avessi|potessi|vincessi|vivessi|fosse|tivesse|pudesse|"
    r"ganhasse)\b|"
    r"\bsi\s+j['e]|\b(?:imagina|immagina|imagine|imaginons)\b|如果|假如|要是|もし|만약",
    re.IGNORECASE,
)
_ADDRESSED = re.compile(
    r"\b(?:you|du|ihr|sie|tú|tu|puedes|podrías|puede|podría|puoi|potresti|può|pode|podes|poderia|"
    r"você|peux|pourrais|pouvez|pourriez|vous)\b|(?<!\w)(?:ты|вы|можешь|можете|мог(?:ла)?)\b|你|您",
    re.IGNORECASE,
)
_SENTENCE_END = re.compile(r"(?<=[.!?…])\s+|(?<=[。！？])|\n+")
_QUOTATION = re.compile(r"\"[^\"\n]+\"|“[^”\n]+”|«[^»\n]+»|„[^“”\n]+[“”]|「[^」\n]+」")
_CLAUSE_END = re.compile(
    r"[,;:，；：、()]|\s[–—-]\s|(?<!\w)(?:and|but|so|because|und|aber|sondern|weil|y|pero|porque|"
    r"e|ma|"
    r"perché|mas|et|mais|и|а|но|потому)(?!\w)",
    re.IGNORECASE,
)


def is_grounded(text: str, said: str) -> bool:
    """True if the text consists of the user's words, in any language: most of its words, in some
    form, and all its names and numbers."""
    own, there = sequence(text), frozenset(sequence(said))
    telling = [word for word in own if word not in NOISE]
    if min(_share(own, there), _share(telling or own, there)) < GROUNDED_SHARE:
        return False
    return all(_stands(name, there) for name in _names(text)) and numbers(own) <= numbers(there)


def share_in(text: str, other: str) -> float:
    """The share of a text's words that the other text contains in some form; 0 without words."""
    return _share(frozenset(sequence(text)), frozenset(sequence(other)))


def is_meant(text: str, said: str, *, wish: bool = False) -> bool:
    """True if the user says this of themselves, and means it. A `wish` may be a question to the
    assistant ("could you answer in French?")."""
    if _JOKE.search(said) or _is_only_quotation(text, said):
        return False
    sentence, clause, ending = _source(text, said)
    if ending.rstrip("\"'”»)] ")[-1:] in ("?", "？") and not (wish and _ADDRESSED.search(sentence)):
        return False
    before = sentence[: sentence.find(clause) + len(clause)]
    # One such word may be a condition of what is real: "I get sick if I drink milk".
    unreal = len(_UNREAL.findall(text))
    if unreal > 1 or (not unreal and _UNREAL.search(before)):
        return False
    if _fold(text) in _fold(said):
        return True
    return _agrees_in_negation(text, clause) and _of_themselves(text, clause)


def sequence(text: str) -> list[str]:
    """The words in their order, each at its first place; of scripts without spaces, the characters.
    Contractions are taken apart: "don't" is "do not", "I'm" is "i" and "m"."""
    found = (part for word in _spelled_out(text.casefold()) for part in _parts(word))
    return list(dict.fromkeys(found))


def numbers(words: Iterable[str]) -> frozenset[str]:
    """Those of the words that have a digit."""
    return frozenset(word for word in words if any(c.isdigit() for c in word))


def _spelled_out(text: str) -> list[str]:
    """The words as written, contractions taken apart."""
    text = text.replace("’", "'")
    for joined, apart in _JOINED:
        text = joined.sub(apart, text)
    return _WORD.findall(text)


def _parts(word: str) -> Iterable[str]:
    """The word itself, or its characters where the script has no spaces."""
    return word if _NO_SPACES.search(word) else (word,)


def _share(own: Iterable[str], there: frozenset[str]) -> float:
    found = [_stands(word, there) for word in own]
    return sum(found) / len(found) if found else 0.0


def _stands(word: str, there: Iterable[str]) -> bool:
    return word in there or any(_akin(word, other) for other in there)


def _names(text: str) -> list[str]:
    """The words with a capital that do not begin the text."""
    written = _WORD.findall(text)[1:]
    capital = (word for word in written if word[0].isupper() and word.casefold() not in NOISE)
    return [part for word in capital for part in sequence(word)]


def _source(text: str, said: str) -> tuple[str, str, str]:
    """The sentence and the clause of it that carry a text best, the later one of equals, and how
    the clause ends: with the sentence's own end mark only if it is the last one."""
    own = frozenset(sequence(text))
    telling = own - NOISE or own
    best, found = -1.0, ("", "", "")
    for sentence in _SENTENCE_END.split(said):
        clauses = [clause for clause in _CLAUSE_END.split(sentence) if clause.strip()]
        for clause in (sentence, *clauses):
            share = _share(telling, frozenset(sequence(clause)))
            whole = clause is sentence and len(clauses) > 1
            if share - 0.01 * whole >= best:
                last = bool(clauses) and (clause is sentence or clause is clauses[-1])
                best, found = share - 0.01 * whole, (sentence, clause, clause if last else "")
    return found


def _is_only_quotation(text: str, said: str) -> bool:
    """True if everything in the text stands inside quotation marks: somebody else's words."""
    outside = _QUOTATION.sub(" ", said)
    own = frozenset(sequence(text))
    return outside != said and not _share(own - NOISE or own, frozenset(sequence(outside)))


def _fold(text: str) -> str:
    return f" {' '.join(_spelled_out(text.casefold()))} "


def _agrees_in_negation(text: str, clause: str) -> bool:
    """True if both deny it, or neither does."""
    own, there = frozenset(sequence(text)), frozenset(sequence(clause))
    return bool(own & NEGATIONS) == bool(there & NEGATIONS)


def _of_themselves(text: str, clause: str) -> bool:
    """True if the clause says of the person what the text says, and not of somebody else."""
    own = frozenset(sequence(text))
    if _NO_SPACES.search(clause):
        return all(other in text for other in _OTHERS_UNSPACED.findall(clause))
    written = _spelled_out(clause)
    words = [word.casefold() for word in written]
    telling = [word for word in own if word not in NOISE]
    start = next((n for n, w in enumerate(words) if w not in NOISE and _stands(w, telling)), None)
    if start is None:
        return True
    subjects = [n for n in range(start) if words[n] in _OTHERS and not _stands(words[n], own)]
    if subjects and not any(w in _FIRST_PERSON for w in words[subjects[-1] : start]):
        return False
    owned = [n + 1 for n in range(start - 1) if words[n] in _POSSESSIVES]
    if any(not _stands(words[n], own) for n in owned):
        return False
    if any(w in _FIRST_PERSON | _POSSESSIVES for w in words):
        return True
    return _same_person(written[:start], telling, words)


def _same_person(before: list[str], telling: list[str], words: list[str]) -> bool:
    """True if a clause without a first-person word can still be about the speaker: the verb has its
    form, and no name precedes it."""
    named = bool(before) and before[-1][0].isupper() and before[-1].casefold() not in _NOW
    return not named and all(word in words for word in telling)


def _akin(word: str, other: str) -> bool:
    """True if two words look like forms of one: they share a beginning of four letters or more that
    makes up most of both."""
    common = 0
    for a, b in zip(word, other, strict=False):
        if a != b:
            break
        common += 1
    return common >= 4 and common >= 0.6 * max(len(word), len(other))
