"""Spanish, as one table: what people most often say of themselves."""

from bot.offline.grammar.shapes import Language, Phrases, Shape, fact, liking, nothing

_ADV = (
    r"(?:(?:ya|también|ahora|siempre|todavía|actualmente|muy|realmente|antes|solo|sólo|casi|"
    r"además|yo|"
    r"a\s+veces|a\s+menudo|normalmente)\s+)*"
)
_NO = rf"{_ADV}(?:no\s+|nunca\s+)?{_ADV}"
_KIN = (
    r"(?:esposa|esposo|marido|mujer|novi[oa]|pareja|hij[oa]s?|niñ[oa]s?|bebé|herman[oa]s?|madre|"
    r"padre|mamá|papá|"
    r"padres|abuel[oa]s?|tí[oa]s?|prim[oa]s?|sobrin[oa]s?|perr[oa]s?|gat[oa]s?|caballo|loro|"
    r"mascotas?|amig[oa]s?|"
    r"jef[ae]|vecin[oa]|compañer[oa])"
)
_MY = r"(?:mi|mis|nuestr[oa]s?)"
_PASSING = (
    r"(?:un[ao]?\s+)?(?:preguntas?|problemas?|dudas?|hambre|sed|sueño|frío|calor|razón|"
    r"miedo\s+de\s+que|ganas|tiempo|prisa|idea|suerte|que)\b"
)
_START = (
    r"(?:yo|me|mi|mis|no|nunca|ahora|ya|a\s+mí|soy|estoy|tengo|vivo|trabajo|estudio|toco|hablo|"
    r"odio|adoro|amo|prefiero|"
    r"detesto|juego|como|bebo|tomo|conduzco|nací|responde|contesta)"
)
_ANSWER = (
    r"(?:por\s+favor,?\s+)?(?:siempre\s+)?(?:resp[oó]nd[ea](?:me)?|cont[eé]st[ea](?:me)?|"
    r"h[aá]bl[ea](?:me)?|escr[ií]b[ea](?:me)?)\b"
)

RULES = (
    liking(
        rf"{_ANSWER}.*\ben\s+(?:español|inglés|francés|alemán|italiano|portugués|catalán)",
        "answer_language",
        8,
    ),
    liking(
        rf"{_ANSWER}.*\b(?:brev\w+|cort\w+|concis\w+|resumid\w+|detallad\w+)", "answer_length", 7
    ),
    liking(r"(?:por\s+favor,?\s+)?(?:ll[aá]mame|tut[eé]ame|no\s+uses\s+emojis?)\b.*", None, 7),
    liking(r"mi\s+(?P<noun>\w+)\s+(?:favorit|preferid)[oa]\s+es\s+\S+", "favorite_{noun}"),
    nothing(rf"{_NO}(?:me\s+(?:gusta|encanta))\s*(?:eso|esto|mucho|esa|ese|la\s+idea)?$"),
    liking(
        rf"(?:a\s+mí\s+)?{_NO}me\s+(?:gustan?|encantan?|fascinan?|interesan?|molestan?|"
        rf"dan?\s+asco)\s+\S+|"
        rf"{_NO}(?:odio|adoro|amo|prefiero|detesto|soporto|aguanto)\s+(?!que\b)\S+"
    ),
    fact(r"(?:yo\s+)?me\s+llamo\s+\S+|mi\s+nombre\s+es\s+\S+", "name", 9),
    fact(
        r"(?:mi\s+cumpleaños\s+es|cumplo\s+años)\s+.*\d|nací\s+(?:el|en)\s+.*\d",
        "birthday",
        8,
        lasting=True,
    ),
    fact(r"nací\s+en\s+\S+|soy\s+de\s+(?-i:[A-ZÁÉÍÓÚÑ])\S+", "origin", 7),
    fact(
        rf"{_NO}(?:soy|tengo)\s+(?:.*\s)?(?:alérgic[oa]|alergia|intolerante|celíac[oa]|"
        rf"diabétic[oa])\b.*",
        None,
        9,
    ),
    fact(
        rf"{_NO}(?:estoy\s+(?:casad|divorciad|comprometid|separad|solter)[oa]|soy\s+(?:solter|"
        rf"viud)[oa])\b.*",
        "marital_status",
        8,
    ),
    fact(rf"{_NO}soy\s+(?:vegetarian|vegan)[oa]\b.*", "diet", 8),
    fact(rf"{_MY}\s+{_KIN}\b(?!\s*$).*", None, 7),
    fact(
        rf"{_MY}\s+(?:hobby|afición|profesión|sueño|meta|idioma|religión|coche|auto|"
        rf"grupo)\b.*\bes\s+\S+"
    ),
    nothing(rf"{_MY}\b"),
    fact(
        rf"{_NO}trabajo\s+(?:en|para|con)\s+(?!casa\b|esto|ello)\S+|(?:he\s+)?(?:dejé|dejado|"
        rf"cambié\s+de)\s+(?:el\s+)?trabajo.*",
        "employer",
        8,
        lasting=True,
    ),
    fact(rf"{_NO}trabajo\s+(?:como|de)\s+\S+", "job_title", 8),
    fact(
        rf"{_NO}viv(?:o|imos)\s+(?:en|cerca|con)\s+\S+|(?:me\s+(?:he\s+mudado|mudé)|"
        rf"nos\s+(?:mudamos|hemos\s+mudado))\s+a\s+\S+",
        "home",
        8,
        lasting=True,
    ),
    fact(rf"{_NO}estudio\s+\S+", "school", 7),
    fact(
        r"(?:me\s+caso|nos\s+casamos|me\s+mudo|viajo|vuelo)\s+.*\S|"
        r"(?:.*\s)?tengo\s+(?:una?\s+)?(?:cita|examen|operación|boda|"
        r"entrevista)\b.*|(?:.*\s)\d{4}\s+(?:me\s+caso|nos\s+casamos|viajo|me\s+mudo)\b.*",
        None,
        6,
        lasting=True,
    ),
    nothing(rf"{_NO}tengo\s+{_PASSING}"),
    fact(rf"{_NO}tengo\s+(?:un[ao]?|dos|tres|cuatro|cinco|\d+|{_KIN})\s*\S*.*", None, 7),
    nothing(
        r"(?:yo\s+)?soy\s+(?:yo|consciente|feliz|capaz|el|la|tu|así|muy|un[ao]?\s+(?:poco|"
        r"desastre|idiota))\b|soy\s*$"
    ),
    fact(rf"{_NO}soy\s+(?!que\b)\S+", None, 7),
    fact(
        rf"{_NO}(?:toco|hablo|juego|como|bebo|tomo|conduzco|practico|colecciono|fumo|corro|nado|"
        rf"canto|pinto|cocino|aprendo|"
        r"uso|llevo\s+gafas|sé\s+(?:conducir|nadar|cocinar|bailar|tocar))\b(?!\s+(?:eso|esto|"
        r"que)\b).*",
        None,
        6,
    ),
)

SPANISH = Language(
    code="es",
    words=frozenset(
        "yo mi mis el los las del y o pero que qué no sí es soy son está estoy tengo con por "
        "para en "
        "un una unos como cómo cuando dónde quién muy ya ahora también gracias hola me te se lo "
        "le nos "
        "cuál trabajo vivo llamo nunca siempre eso esto años gusta gustan encanta a odio "
        "adoro".split()
    ),
    letters=Shape(r"[\s\S]*[¿¡ñ]"),
    rules=RULES,
    phrases=Phrases(
        said="{who}: {quotes}.",
        asked="{who} preguntó: {quotes}.",
        you_said="Contaste: {quotes}.",
        you_asked="Preguntaste: {quotes}.",
    ),
    abbreviations=frozenset("sr sra dr dra ud uds etc".split()),
    boundary=Shape(
        rf"(?:\s*[,;–—]\s*(?:(?:y|e|pero|porque|así\s+que)\s+)?|\s+(?:y|e|pero)\s+)(?={_START}\b)"
    ),
    own=Shape(r"(?:yo|me|mi|mis|nuestr\w+|soy|estoy|tengo|vivo|trabajo)\b"),
    lead_in=Shape(
        r"(?:(?:hola|buenas|buenos\s+días|buenas\s+tardes|sí|no|vale|ok|bueno|bien|gracias|pues|"
        r"mira|oye|además|y|pero|"
        r"por\s+cierto|claro|perdón|en\s+realidad|la\s+verdad|de\s+hecho)\s*(?:[,!.:–-]\s*|\s+(?="
        rf"(?:{_START}|por\s+favor)\b))|(?:por\s+favor,?\s+)?(?:recuerda|no\s+olvides|"
        rf"ten\s+en\s+cuenta)[,:]?\s+(?:que\s+)?)"
    ),
    trailer=Shape(r"[\s,;:–—-]+(?:por\s+cierto|gracias|y|pero|por\s+favor|sabes)$"),
    jest=Shape(r"\b(?:(?:es|era)\s+(?:una\s+)?broma|bromeo|estoy\s+bromeando|es\s+chiste)\b"),
    laughter=Shape(r"\b(?:(?:ja){2,}\w*|(?:je){2,}\w*|lol)\b|[😂🤣😜]"),
    unreal=Shape(r"(?:si|ojalá|como\s+si|cuando\s+sea)\b|.*\b\w+(?:aría|ería|iría|iese|"
        r"ara\b.*\bsi)\b"),
    make_believe=Shape(r"(?:imagina|imagínate|supongamos|finge|haz\s+como\s+si)\b"),
    task=Shape(r"(?:por\s+favor,?\s+)?(?:traduce|corrige|escribe|resume|mejora|"
        r"reescribe)\b[^:]*:"),
    report=Shape(
        r"(?!(?:yo)\b)(?:(?:mi|el|la|un|una)\s+)?(?:[\w-]+\s+){1,2}(?:me\s+)?(?:dice|dijo|"
        r"escribió|cuenta|contó|piensa|cree|"
        r"opina|afirma)\b"
    ),
    contrast=Shape(r"\bpero\b"),
    asking=Shape(r"\s*[,;–—.]?\s*(?=¿)"),
    polite=Shape(r"¿?(?:puedes|podrías)\s+(?:responder|contestar|hablar)\w*\b"),
    off_record=Shape(r"(?:por\s+favor,?\s+)?(?:no\s+(?:lo\s+)?(?:recuerdes|guardes|apuntes)|"
        r"olvida\s+(?:eso|esto))\b"),
    fleeting=Shape(r"\b(?:hoy|mañana|ayer|ahora\s+mismo|esta\s+(?:noche|tarde|semana|mañana)|"
        r"anoche)\b"),
    negation=Shape(r"\b(?:no|nunca|jamás|dejé|antes)\b"),
    besides=Shape(r"^(?:\w+\s+){0,2}(?:también|además)\b|\btambién$"),
    generic=frozenset("trabajo casa más empleo".split()),
    relatives=Shape(rf"{_MY}\s+{_KIN}\b"),
    request=Shape(r"(?:por\s+favor|responde|contesta|háblame|escribe|llámame)\b"),
)  # fmt: skip
