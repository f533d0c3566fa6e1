"""French, as one table: what people most often say of themselves."""

from bot.offline.grammar.shapes import Language, Phrases, Shape, fact, liking, nothing

_ADV = (
    r"(?:(?:déjà|aussi|maintenant|toujours|encore|actuellement|très|vraiment|beaucoup|surtout|"
    r"souvent|parfois)\s+)*"
)
_I = rf"(?:(?:moi,?\s+)?(?:je|j'|on|nous)\s*(?:n'|ne\s+)?){_ADV}"
_NOT = r"(?:\s+(?:pas|plus|jamais))?"
_KIN = (
    r"(?:femme|mari|copine?|compagn(?:e|on)|fiancée?|fils|filles?|enfants?|bébé|frères?|sœurs?|"
    r"soeurs?|mère|père|maman|"
    r"papa|parents|grand-(?:mère|père)|oncle|tante|cousine?|neveu|nièce|chien(?:ne)?|chats?|"
    r"chatte|cheval|perroquet|"
    r"amie?s?|chef|patronne?|voisine?|collègue|colocataire)"
)
_MY = r"(?:mon|ma|mes|notre|nos)"
_START = r"(?:je|j'\w+|moi|mon|ma|mes|nous|on|réponds|répondez|s'il\s+te\s+plaît)"
_ANSWER = r"(?:s'il\s+te\s+plaît,?\s+)?(?:réponds|répondez|parle|parlez|écris|écrivez)(?:-moi)?\b"

RULES = (
    liking(rf"{_ANSWER}.*\ben\s+(?:français|anglais|allemand|espagnol|italien|"
        rf"portugais)", "answer_language", 8),
    liking(rf"{_ANSWER}.*\b(?:bref|brève\w*|brièvement|court\w*|concis\w*|"
        rf"détaillé\w*)", "answer_length", 7),
    liking(r"(?:s'il\s+te\s+plaît,?\s+)?(?:appelle-moi|appelez-moi|tutoie-moi|"
        r"pas\s+d'emojis?)\b.*", None, 7),
    liking(r"(?:mon|ma)\s+(?P<noun>\w+)\s+préférée?\s+(?:est|c'est)\s+\S+", "favorite_{noun}"),
    nothing(rf"{_I}(?:aime|adore)\s*(?:ça|bien|cela|beaucoup)?$"),
    liking(
        rf"{_I}(?:aime|adore|déteste|préfère|hais|supporte){_NOT}\s+(?!que\b|ça\b)\S+|"
        rf"{_I}(?:m'intéresse\s+à|me\s+passionne)\s+\S+|"
        r"ça\s+me\s+plaît\s+de\s+\S+"
    ),
    fact(r"je\s+m'appelle\s+\S+|mon\s+(?:pré)?nom\s+est\s+\S+", "name", 9),
    fact(r"mon\s+anniversaire\s+(?:est|c'est)\s+.*\d|je\s+suis\s+née?\s+(?:le|"
        r"en)\s+.*\d", "birthday", 8, lasting=True),
    fact(r"je\s+suis\s+née?\s+à\s+\S+|je\s+viens\s+(?:de|du|d')\s*(?-i:[A-ZÉ])\S+", "origin", 7),
    fact(rf"{_I}(?:suis|ai){_NOT}\s+(?:.*\s)?(?:allergique|allergie|intolérante?|cœliaque|"
        rf"diabétique)\b.*", None, 9),
    fact(rf"{_I}suis{_NOT}\s+(?:mariée?|divorcée?|célibataire|fiancée?|veu(?:f|ve)|"
        rf"séparée?)\b.*", "marital_status", 8),
    fact(rf"{_I}suis{_NOT}\s+(?:végétarien(?:ne)?|végane?|vegan)\b.*", "diet", 8),
    fact(rf"{_MY}\s+(?:\w+\s+)?{_KIN}\b(?!\s*$).*", None, 7),
    fact(rf"{_MY}\s+(?:passion|métier|profession|rêve|but|langue|religion|voiture|"
        rf"hobby)\b.*\best\s+\S+"),
    nothing(rf"{_MY}\b"),
    fact(
        rf"{_I}(?:travaille|bosse){_NOT}\s+(?:chez|à|pour|dans|au)\s+(?!la\s+maison)\S+|"
        rf"j'ai\s+(?:quitté|changé\s+de)\s+(?:mon\s+)?"
        r"(?:travail|boulot|emploi).*",
        "employer",
        8,
        lasting=True,
    ),
    fact(rf"{_I}travaille{_NOT}\s+comme\s+\S+", "job_title", 8),
    fact(
        rf"{_I}(?:habite|vis|vivons|habitons){_NOT}\s+(?!mal|bien)\S+|{_I}(?:ai|"
        rf"avons)\s+déménagé\s+à\s+\S+|je\s+me\s+suis\s+installée?\s+à\s+\S+",
        "home",
        8,
        lasting=True,
    ),
    fact(rf"{_I}étudie{_NOT}\s+\S+", "school", 7),
    fact(
        r"(?:.*\s)?j'ai\s+(?:un\s+|une\s+)?(?:rendez-vous|examen|opération|entretien|"
        r"mariage)\b.*|(?:.*\s)?je\s+(?:me\s+marie|pars|déménage)\b.*\d.*",
        None,
        6,
        lasting=True,
    ),
    nothing(
        rf"{_I}ai{_NOT}\s+(?:une?\s+)?(?:questions?|problèmes?|doutes?|faim|soif|sommeil|froid|"
        rf"chaud|raison|envie|temps|idée|besoin|peur\s+que)\b"
    ),
    fact(rf"{_I}(?:ai|avons){_NOT}\s+(?:une?|des|deux|trois|quatre|cinq|\d+|"
        rf"pas\s+d[e'])\s*\S+.*", None, 6),
    nothing(r"je\s+suis\s+(?:là|d'accord|contente?|heureu\w+|désolée?|fatiguée?|sûre?|le|la|"
        r"en\s+train|allée?|pas\s+(?:sûr|là)|très)\b|je\s+suis\s*$"),
    fact(rf"{_I}suis{_NOT}\s+(?!que\b)\S+", None, 7),
    fact(
        rf"{_I}(?:joue|parle|mange|bois|conduis|pratique|collectionne|fume|cours|nage|chante|"
        rf"peins|cuisine|apprends|porte\s+des\s+"
        rf"lunettes|sais){_NOT}\b(?!\s+(?:que|ça|où|comment)\b).*",
        None,
        6,
    ),
)  # fmt: skip

FRENCH = Language(
    code="fr",
    words=frozenset(
        "je j moi mon ma mes le les des du et mais que qui pas oui est suis ai nous vous tu avec "
        "pour dans "
        "une un où comment quand pourquoi très déjà aussi merci bonjour salut c'est j'ai "
        "j'habite j'aime "
        "chez sur toujours jamais cette ans ne n habite aime travaille déteste".split()
    ),
    letters=Shape(r"[\s\S]*(?:(?<!\w)(?:j|qu|n|m|s)['’][aeiouyéèêh]|[œùê])"),
    rules=RULES,
    phrases=Phrases(
        said="{who} : {quotes}.",
        asked="{who} a demandé : {quotes}.",
        you_said="Tu as raconté : {quotes}.",
        you_asked="Tu as demandé : {quotes}.",
    ),
    abbreviations=frozenset("m mme dr etc".split()),
    boundary=Shape(
        rf"(?:\s*[,;–—]\s*(?:(?:et|mais|car|donc)\s+)?|\s+(?:et|mais|car)\s+)(?={_START}(?!\w))"
    ),
    own=Shape(r"(?:je|j'|moi|mon|ma|mes|nous|notre|nos)"),
    lead_in=Shape(
        r"(?:(?:bonjour|salut|coucou|bonsoir|oui|non|ok|d'accord|bon|bien|merci|alors|en\s+fait|"
        r"au\s+fait|d'ailleurs|et|mais|"
        r"sinon|pardon|désolée?|écoute)\s*(?:[,!.:–-]\s*|\s+(?=(?:je|j'|moi|mon|ma|mes)))|"
        r"(?:s'il\s+te\s+plaît,?\s+)?"
        r"(?:souviens-toi|retiens|n'oublie\s+pas|note)[,:]?\s+(?:que\s+)?)"
    ),
    trailer=Shape(r"[\s,;:–—-]+(?:d'ailleurs|merci|et|mais|au\s+fait)$"),
    jest=Shape(r"\b(?:je\s+plaisante|je\s+rigole|c'est\s+une\s+blague|je\s+blague)\b"),
    laughter=Shape(r"\b(?:mdr|ptdr|lol|(?:ha){2,}\w*)\b|[😂🤣😜]"),
    unreal=Shape(r"(?:si\b|comme\s+si)|.*\b\w+(?:erais|irais|rais)\b"),
    make_believe=Shape(r"(?:imagine|imaginons|supposons|fais\s+comme\s+si)\b"),
    task=Shape(r"(?:s'il\s+te\s+plaît,?\s+)?(?:traduis|corrige|écris|résume|améliore)\b[^:]*:"),
    report=Shape(
        r"(?!(?:je|j')\b)(?:(?:mon|ma|le|la|un|une)\s+)?(?:[\w-]+\s+){1,2}(?:m'a\s+|a\s+)?(?:dit|"
        r"écrit|raconte|raconté|pense|croit)\b"
    ),
    contrast=Shape(r"\bmais\b"),
    asking=Shape(r"\s*[,;–—]\s*(?=(?:que|quoi|où|comment|quand|qui|pourquoi|quel|quelle|peux|"
        r"tu|est-ce)\b)"),
    polite=Shape(r"(?:peux|pourrais)-?\s*tu\s+(?:répondre|parler|écrire)\b|tu\s+(?:peux|"
        r"pourrais)\s+(?:répondre|parler)\b"),
    off_record=Shape(r"(?:s'il\s+te\s+plaît,?\s+)?(?:ne\s+(?:retiens|note|garde)\s+pas|"
        r"oublie\s+ça)\b"),
    fleeting=Shape(r"\b(?:aujourd'hui|demain|hier|en\s+ce\s+moment|ce\s+(?:soir|matin)|"
        r"cette\s+semaine)\b"),
    negation=Shape(r"\b(?:pas|plus|jamais|quitté|n')"),
    besides=Shape(r"^(?:[\w']+\s+){0,2}(?:aussi|également)\b|\baussi$"),
    generic=frozenset("travail boulot emploi maison plus".split()),
    relatives=Shape(rf"{_MY}\s+{_KIN}\b"),
    request=Shape(r"(?:s'il\s+te\s+plaît|réponds|parle|écris|appelle-moi)\b"),
)  # fmt: skip
