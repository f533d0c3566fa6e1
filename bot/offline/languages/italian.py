"""Italian, as one table: what people most often say of themselves."""

from bot.offline.grammar.shapes import Language, Phrases, Shape, fact, liking, nothing

_ADV = (
    r"(?:(?:già|anche|adesso|ora|sempre|ancora|attualmente|molto|davvero|prima|solo|quasi|"
    r"inoltre|io|noi|spesso|"
    r"di\s+solito|ormai|oggi)\s+)*"
)
_NO = rf"{_ADV}(?:non\s+)?{_ADV}"
_KIN = (
    r"(?:moglie|marito|fidanzat[oa]|ragazz[oa]|compagn[oa]|figli[oae]?|bambin[oaie]|fratell[oi]|"
    r"sorell[ae]|gemell[oa]|"
    r"madre|padre|mamma|papà|genitori|nonn[oaie]|zi[oa]|cugin[oa]|nipot[ei]|can[ei]|gatt[oaie]|"
    r"cavallo|pappagallo|"
    r"amic[oaie]|amiche|cap[oa]|collega|vicin[oa]|coinquilin[oa])"
)
_MY = r"(?:(?:il|la|i|le)\s+)?(?:mi[oa]|miei|mie|nostr[oaie])"
_PASSING = (
    r"(?:una?\s+|un'|un\s+)?(?:domand\w+|problem\w+|dubbi\w*|fame|sete|sonno|freddo|caldo|"
    r"ragione|voglia|tempo|fretta|idea|"
    r"bisogno|paura\s+che)\b"
)
_START = (
    r"(?:io|mi|mio|mia|il\s+mio|la\s+mia|i\s+miei|le\s+mie|non|adesso|ora|a\s+me|sono|ho|vivo|"
    r"abito|lavoro|studio|suono|"
    r"parlo|odio|adoro|amo|preferisco|detesto|gioco|mangio|bevo|guido|rispondi\w*)"
)
_ANSWER = r"(?:per\s+favore,?\s+)?(?:rispond(?:i|imi|a)|scriv(?:i|imi)|parl(?:a|ami))\b"

RULES = (
    liking(rf"{_ANSWER}.*\bin\s+(?:italiano|inglese|francese|tedesco|spagnolo|"
        rf"portoghese)", "answer_language", 8),
    liking(rf"{_ANSWER}.*\b(?:brev\w+|cort\w+|concis\w+|sintetic\w+|dettagliat\w+|"
        rf"poche\s+parole)", "answer_length", 7),
    liking(r"(?:per\s+favore,?\s+)?(?:chiamami|dammi\s+del\s+tu|non\s+usare\s+emoji)\b.*", None, 7),
    liking(rf"{_MY}\s+(?P<noun>\w+)\s+preferit[oaie]\s+è\s+\S+", "favorite_{noun}"),
    nothing(rf"{_NO}mi\s+piace\s*(?:molto|questo|quello|l'idea)?$"),
    liking(
        rf"(?:a\s+me\s+)?{_NO}(?:mi\s+)?(?:piac(?:e|ciono)|interessan?o?)\s+\S+|"
        rf"{_NO}(?:odio|adoro|amo|preferisco|detesto|sopporto)\s+(?!che\b)\S+"
    ),
    fact(r"(?:io\s+)?mi\s+chiamo\s+\S+|(?:il\s+)?mio\s+nome\s+è\s+\S+", "name", 9),
    fact(
        r"(?:il\s+mio\s+compleanno\s+è|compio\s+gli\s+anni)\s+.*\d|sono\s+nat[oa]\s+(?:il|"
        r"nel)\s+.*\d",
        "birthday",
        8,
        lasting=True,
    ),
    fact(r"sono\s+nat[oa]\s+(?:e\s+cresciut[oa]\s+)?a\s+\S+|(?:sono|vengo)\s+(?:di|da|dalla|dal|"
        r"originario)\s+(?-i:[A-Z])\S+", "origin", 7),
    fact(
        rf"{_NO}(?:sono|ho)\s+(?:.*\s)?(?:allergic[oa]|un'?\s*allergia|allergia|intollerante|"
        rf"celiac[oa]|diabetic[oa])\b.*",
        None,
        9,
    ),
    fact(rf"{_NO}sono\s+(?:sposat|divorziat|fidanzat|separat|single|"
        rf"vedov)[oa]?\b.*", "marital_status", 8),
    fact(rf"{_NO}sono\s+(?:vegetarian|vegan)[oa]\b.*", "diet", 8),
    fact(rf"{_MY}\s+{_KIN}\b(?!\s*$).*", None, 7),
    fact(rf"{_MY}\s+(?:hobby|passione|professione|lavoro|sogno|obiettivo|lingua|religione|auto|"
        rf"macchina)\b.*\bè\s+\S+"),
    nothing(rf"{_MY}\b"),
    fact(
        rf"{_NO}lavoro\s+(?:in|alla|al|all'|per|presso|da|nel|nella)\s*(?!casa\b|questo|mezz)\S+|"
        rf"ho\s+(?:lasciato|cambiato)\s+"
        r"(?:il\s+)?lavoro.*",
        "employer",
        8,
        lasting=True,
    ),
    fact(rf"{_NO}(?:lavoro\s+come|faccio\s+(?:il|la|l'|lo))\s*\S+", "job_title", 8),
    fact(
        rf"{_NO}(?:vivo|abito|viviamo|abitiamo)\s+(?:a|in|vicino|con|da|nel|al)\s*\S+|"
        rf"(?:mi\s+sono\s+trasferit[oa]|"
        r"ci\s+siamo\s+trasferiti)\s+(?:a|in)\s+\S+",
        "home",
        8,
        lasting=True,
    ),
    fact(rf"{_NO}studio\s+\S+", "school", 7),
    fact(
        r"(?:.*\s)?ho\s+(?:una?\s+|la\s+|il\s+|l'|un\s+)?(?:visita|esame|appuntamento|colloquio|"
        r"operazione|matrimonio)\b.*|"
        r"(?:.*\s\d{4}\s+)?(?:mi\s+sposo|ci\s+sposiamo|parto|mi\s+trasferisco|volo)\s+.*\S",
        None,
        6,
        lasting=True,
    ),
    nothing(rf"{_NO}ho\s+{_PASSING}"),
    fact(rf"{_NO}(?:ho|abbiamo)\s+(?:una?|un'|un|due|tre|quattro|cinque|\d+)\s*\S+.*", None, 6),
    nothing(r"(?:io\s+)?sono\s+(?:io|felice|capace|il|la|lo|tu|così|molto|d'accordo|content[oa]|"
        r"stanc[oa]|sicur[oa]|andat\w|stat\w)\b|sono\s*$"),
    fact(rf"{_NO}sono\s+(?!che\b)\S+", None, 7),
    fact(
        rf"{_NO}(?:suono|parlo|gioco|mangio|bevo|guido|pratico|colleziono|fumo|corro|nuoto|canto|"
        rf"dipingo|cucino|uso|porto\s+gli\s+"
        r"occhiali|so\s+(?:guidare|nuotare|cucinare|ballare|suonare))\b(?!\s+(?:questo|che)\b).*",
        None,
        6,
    ),
)  # fmt: skip

ITALIAN = Language(
    code="it",
    words=frozenset(
        "io mi mio mia miei il gli lo della del di e ma che non sì è sono ho hai con per in un "
        "una uno "
        "come quando dove chi molto già adesso anche grazie ciao cosa quale lavoro abito vivo "
        "chiamo "
        "mai sempre questo anni più nel alla al dei delle anzi piace piacciono adoro me a".split()
    ),
    rules=RULES,
    phrases=Phrases(
        said="{who}: {quotes}.",
        asked="{who} ha chiesto: {quotes}.",
        you_said="Hai raccontato: {quotes}.",
        you_asked="Hai chiesto: {quotes}.",
    ),
    abbreviations=frozenset("sig dott ecc".split()),
    boundary=Shape(
        rf"(?:\s*[,;–—]\s*(?:(?:e|ma|perché|quindi|però)\s+)?|\s+(?:e|ma|però)\s+)(?={_START}\b)"
    ),
    own=Shape(r"(?:io|mi|mio|mia|miei|mie|sono|ho|vivo|abito|lavoro|(?:il|la|i|le)\s+mi\w+)\b"),
    lead_in=Shape(
        r"(?:(?:ciao|salve|buongiorno|buonasera|sì|no|ok|va\s+bene|bene|grazie|beh|senti|guarda|"
        r"inoltre|e|ma|comunque|"
        r"a\s+proposito|certo|scusa|in\s+realtà|anzi\s+no|anzi|allora)\s*(?:[,!.:–-]\s*|\s+(?="
        rf"(?:{_START}|per\s+favore|il|la)\b))|(?:per\s+favore,?\s+)?(?:ricorda|ricordati|"
        rf"non\s+dimenticare)[,:]?\s+(?:che\s+)?)"
    ),
    trailer=Shape(r"[\s,;:–—-]+(?:comunque|grazie|e|ma|per\s+favore|sai)$"),
    jest=Shape(r"\b(?:scherzo|scherzavo|sto\s+scherzando|era\s+uno\s+scherzo|"
        r"è\s+uno\s+scherzo)\b"),
    laughter=Shape(r"\b(?:(?:ah|ha){2,}\w*|lol)\b|[😂🤣😜]"),
    unreal=Shape(r"(?:se|magari|come\s+se)\b|.*\b\w+(?:erei|irei|arei|essi|assi|issi)\b"),
    make_believe=Shape(r"(?:immagina|supponiamo|fai\s+finta|facciamo\s+finta)\b"),
    task=Shape(r"(?:per\s+favore,?\s+)?(?:traduci|correggi|scrivi|riassumi|migliora|"
        r"riscrivi)\b[^:]*:"),
    report=Shape(
        r"(?!(?:io)\b)(?:(?:il|la|un|una)\s+)?(?:mi[oa]\s+)?(?:[\w-]+\s+){1,2}(?:mi\s+)?(?:dice|"
        r"ha\s+detto|scrive|ha\s+scritto|"
        r"racconta|pensa|crede|sostiene)\b"
    ),
    contrast=Shape(r"\b(?:ma|però)\b"),
    asking=Shape(r"\s*[,;–—]\s*(?=(?:cosa|che|come|dove|quando|chi|perché|quanto|quale|puoi|"
        r"sai|è|ti)\b)"),
    polite=Shape(r"(?:puoi|potresti)\s+(?:rispondermi|rispondere|parlare|scrivere)\b"),
    off_record=Shape(r"(?:per\s+favore,?\s+)?(?:non\s+(?:ricordarlo|salvarlo|memorizzare)|"
        r"dimentica\s+(?:questo|quello))\b"),
    fleeting=Shape(r"\b(?:oggi|domani|ieri|in\s+questo\s+momento|stasera|stamattina|"
        r"questa\s+settimana|stanotte)\b"),
    negation=Shape(r"\b(?:non|mai|lasciato)\b"),
    besides=Shape(r"^(?:\w+\s+){0,2}anche\b"),
    generic=frozenset("lavoro casa più".split()),
    relatives=Shape(rf"{_MY}\s+{_KIN}\b"),
    request=Shape(r"(?:per\s+favore|rispondi|rispondimi|scrivimi|chiamami)\b"),
)  # fmt: skip
