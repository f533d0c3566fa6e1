"""Portuguese, as one table: what people most often say of themselves."""

from bot.offline.grammar.shapes import Language, Phrases, Shape, fact, liking, nothing

_ADV = (
    r"(?:(?:já|também|agora|sempre|ainda|atualmente|muito|realmente|antes|só|quase|além\s+disso|"
    r"eu|nós|"
    r"às\s+vezes|hoje\s+em\s+dia)\s+)*"
)
_NO = rf"{_ADV}(?:não\s+|nunca\s+)?{_ADV}"
_KIN = (
    r"(?:esposa|esposo|marido|mulher|namorad[oa]|noiv[oa]|filh[oa]s?|bebé|bebê|irmão|irmã|irmãos|"
    r"irmãs|mãe|pai|pais|"
    r"avó|avô|avós|ti[oa]|prim[oa]s?|sobrinh[oa]s?|cachorr[oa]s?|cão|cães|gat[oa]s?|cavalo|"
    r"papagaio|amig[oa]s?|chefe|"
    r"vizinh[oa]|colega)"
)
_MY = r"(?:(?:o|a|os|as)\s+)?(?:meu|minha|meus|minhas|nosso|nossa)"
_PASSING = (
    r"(?:uma?\s+)?(?:perguntas?|problemas?|dúvidas?|fome|sede|sono|frio|calor|razão|"
    r"vontade|tempo|pressa|ideia|sorte|que|medo\s+que)\b"
)
_START = (
    r"(?:eu|me|meu|minha|o\s+meu|a\s+minha|não|nunca|agora|já|sou|estou|tenho|moro|vivo|trabalho|"
    r"estudo|toco|falo|odeio|adoro|"
    r"amo|prefiro|detesto|gosto|jogo|como|bebo|tomo|dirijo|conduzo|nasci|responde|responda)"
)
_ANSWER = (
    r"(?:por\s+favor,?\s+)?(?:sempre\s+)?(?:respond[ea](?:-me)?|escrev[ea](?:-me)?|"
    r"fal[ea](?:\s+comigo)?)\b"
)

RULES = (
    liking(rf"{_ANSWER}.*\bem\s+(?:português|inglês|francês|alemão|espanhol|"
        rf"italiano)", "answer_language", 8),
    liking(rf"{_ANSWER}.*\b(?:brev\w+|curt\w+|concis\w+|resumid\w+|"
        rf"detalhad\w+)", "answer_length", 7),
    liking(r"(?:por\s+favor,?\s+)?(?:me\s+cham[ea]|chama-me|não\s+uses?\s+emojis?)\b.*", None, 7),
    liking(rf"{_MY}\s+(?P<noun>\w+)\s+(?:favorit|preferid)[oa]\s+é\s+\S+", "favorite_{noun}"),
    nothing(rf"{_NO}(?:gosto|adoro)\s*(?:disso|muito|dessa|desse|da\s+ideia)?$"),
    liking(
        rf"{_NO}gosto\s+(?:muito\s+)?d\S+\s+\S+|{_NO}gosto\s+\S+|{_NO}(?:odeio|adoro|amo|prefiro|"
        rf"detesto|suporto|aguento)\s+(?!que\b)\S+|"
        rf"{_NO}me\s+interesso\s+por\s+\S+"
    ),
    fact(r"(?:eu\s+)?(?:me\s+chamo|chamo-me)\s+\S+|(?:o\s+)?meu\s+nome\s+é\s+\S+", "name", 9),
    fact(r"(?:o\s+)?meu\s+aniversário\s+é\s+.*\d|faço\s+anos\s+.*\d|nasci\s+(?:em|a|"
        r"no\s+dia)\s+.*\d", "birthday", 8, lasting=True),
    fact(r"nasci\s+em\s+\S+|(?:eu\s+)?sou\s+d[eoa]\s+(?-i:[A-ZÁÉÍÓÚ])\S+", "origin", 7),
    fact(rf"{_NO}(?:sou|tenho)\s+(?:.*\s)?(?:alérgic[oa]|alergia|intolerante|celíac[oa]|"
        rf"diabétic[oa])\b.*", None, 9),
    fact(rf"{_NO}(?:sou|estou)\s+(?:casad|divorciad|solteir|noiv|separad|"
        rf"viúv)[oa]\b.*", "marital_status", 8),
    fact(rf"{_NO}sou\s+(?:vegetarian|vegan)[oa]\b.*", "diet", 8),
    fact(rf"{_MY}\s+{_KIN}\b(?!\s*$).*", None, 7),
    fact(rf"{_MY}\s+(?:hobby|profissão|sonho|meta|objetivo|língua|religião|carro)\b.*\bé\s+\S+"),
    nothing(rf"{_MY}\b"),
    fact(
        rf"{_NO}trabalho\s+(?:n[oa]|em|para|com)\s+(?!casa\b|isto|isso)\S+|(?:deixei|"
        rf"mudei\s+de)\s+(?:o\s+)?(?:trabalho|emprego).*",
        "employer",
        8,
        lasting=True,
    ),
    fact(rf"{_NO}trabalho\s+como\s+\S+", "job_title", 8),
    fact(rf"{_NO}(?:moro|vivo|moramos|vivemos)\s+(?:em|n[oa]|perto|com)\s+\S+|(?:me\s+mudei|"
        rf"mudei-me|nos\s+mudamos)\s+para\s+\S+", "home", 8, lasting=True),
    fact(rf"{_NO}estudo\s+\S+", "school", 7),
    fact(
        r"(?:.*\s)?tenho\s+(?:uma?\s+)?(?:consulta|prova|exame|entrevista|casamento|"
        r"cirurgia)\b.*|(?:.*\s\d{4}\s+)?(?:me\s+caso|caso-me|"
        r"vou\s+(?:casar|viajar|me\s+mudar))\b.*",
        None,
        6,
        lasting=True,
    ),
    nothing(rf"{_NO}tenho\s+{_PASSING}"),
    fact(rf"{_NO}(?:tenho|temos)\s+(?:uma?|dois|duas|três|quatro|cinco|\d+|"
        rf"{_KIN})\s*\S*.*", None, 7),
    nothing(r"(?:eu\s+)?sou\s+(?:eu|feliz|capaz|o|a|tu|assim|muito)\b|sou\s*$"),
    fact(rf"{_NO}sou\s+(?!que\b)\S+", None, 7),
    fact(
        rf"{_NO}(?:toco|falo|jogo|como|bebo|tomo|dirijo|conduzo|pratico|coleciono|fumo|corro|"
        rf"nado|canto|pinto|cozinho|aprendo|"
        r"uso\s+óculos|sei\s+(?:dirigir|conduzir|nadar|cozinhar|dançar|tocar))\b(?!\s+(?:isso|"
        r"isto|que)\b).*",
        None,
        6,
    ),
)  # fmt: skip

PORTUGUESE = Language(
    code="pt",
    words=frozenset(
        "eu meu minha meus minhas o os as do da e mas que não sim é sou são estou tenho com por "
        "para em "
        "um uma uns como quando onde quem muito já agora também obrigado obrigada olá oi você "
        "nos ao "
        "qual trabalho moro chamo nunca sempre isso anos gosto falo a odeio adoro".split()
    ),
    letters=Shape(r"[\s\S]*[ãõ]"),
    rules=RULES,
    phrases=Phrases(
        said="{who}: {quotes}.",
        asked="{who} perguntou: {quotes}.",
        you_said="Você contou: {quotes}.",
        you_asked="Você perguntou: {quotes}.",
    ),
    abbreviations=frozenset("sr sra dr dra etc".split()),
    boundary=Shape(
        rf"(?:\s*[,;–—]\s*(?:(?:e|mas|porque|então)\s+)?|\s+(?:e|mas)\s+)(?={_START}\b)"
    ),
    own=Shape(r"(?:eu|me|meu|minha|meus|minhas|noss[oa]|sou|estou|tenho|moro|trabalho)\b"),
    lead_in=Shape(
        r"(?:(?:olá|oi|bom\s+dia|boa\s+tarde|boa\s+noite|sim|não|ok|bom|bem|obrigad[oa]|pois|"
        r"olha|além\s+disso|e|mas|aliás|"
        r"por\s+acaso|claro|desculpa|na\s+verdade)\s*(?:[,!.:–-]\s*|\s+(?="
        rf"(?:{_START}|por\s+favor)\b))|"
        r"(?:por\s+favor,?\s+)?(?:lembra|lembre-se|não\s+esqueças?|"
        r"anota)[,:]?\s+(?:de\s+)?(?:que\s+)?)"
    ),
    trailer=Shape(r"[\s,;:–—-]+(?:aliás|obrigad[oa]|e|mas|por\s+favor)$"),
    jest=Shape(r"\b(?:(?:é|era)\s+brincadeira|(?:estou\s+)?brincando|estou\s+a\s+brincar)\b"),
    laughter=Shape(r"\b(?:k{3,}|(?:ha){2,}\w*|rs{2,}|lol)\b|[😂🤣😜]"),
    unreal=Shape(r"(?:se|oxalá|tomara|quem\s+me\s+dera)\b|.*\b\w+(?:aria|eria|iria)\b"),
    make_believe=Shape(r"(?:imagina|imagine|suponha\w*|finge|finja)\b"),
    task=Shape(r"(?:por\s+favor,?\s+)?(?:traduz\w*|corrig\w+|escrev[ea]|resum\w+|"
        r"melhor[ae])\b[^:]*:"),
    report=Shape(
        r"(?!(?:eu)\b)(?:(?:o|a|um|uma)\s+)?(?:(?:meu|"
        r"minha)\s+)?(?:[\w-]+\s+){1,2}(?:me\s+)?(?:diz|disse|escreveu|conta|contou|"
        r"pensa|acha|acredita)\b"
    ),
    contrast=Shape(r"\bmas\b"),
    asking=Shape(r"\s*[,;–—]\s*(?=(?:que|o\s+que|como|onde|quando|quem|por\s+que|qual|podes|"
        r"pode|você)\b)"),
    polite=Shape(r"(?:podes|pode|poderia)\s+(?:responder|falar|escrever)\b"),
    off_record=Shape(r"(?:por\s+favor,?\s+)?(?:não\s+(?:guardes?|anotes?|memorizes?)|"
        r"esquece\s+isso|esqueça\s+isso)\b"),
    fleeting=Shape(r"\b(?:hoje|amanhã|ontem|neste\s+momento|esta\s+(?:noite|tarde|semana|"
        r"manhã))\b"),
    negation=Shape(r"\b(?:não|nunca|jamais|deixei)\b"),
    besides=Shape(r"^(?:\w+\s+){0,2}também\b|\btambém$"),
    generic=frozenset("trabalho emprego casa mais".split()),
    relatives=Shape(rf"{_MY}\s+{_KIN}\b"),
    request=Shape(r"(?:por\s+favor|responde|responda|escreve|chama-me)\b"),
)  # fmt: skip
