"""English: the word groups that the shapes of statements are built from."""

ADVERBS = (
    r"(?:(?:also|really|just|currently|now|usually|actually|always|often|normally|mostly|mainly|"
    r"generally|typically|sometimes|rarely|seldom|hardly|still|already|recently|finally|only|"
    r"absolutely|totally|truly|honestly|particularly|especially|simply|both|very\s+much|"
    r"kind\s+of|sort\s+of|myself|personally|officially|even|regularly|mainly)\s+)*"
)
NOT = r"(?:(?:don't|do\s+not|didn't|never|no\s+longer|do)\s+" + ADVERBS + r")?"
SUBJECT = r"(?:(?:my|our)\s+[\w-]+(?:\s+[\w-]+)?\s+and\s+i|i|we)\s+" + ADVERBS
DO = SUBJECT + NOT
BE = r"(?:i'm|i\s+am|we're|we\s+are)\s+" + ADVERBS
BE_OR_NOT = BE + r"(?:(?:not|no\s+longer)\s+" + ADVERBS + r")?"
HAVE = r"(?:i've|i\s+have|we've|we\s+have)\s+" + ADVERBS
WILL = r"(?:i'd|i\s+would)\s+" + ADVERBS
PLEASE = (
    r"(?:please,?\s+|kindly\s+|can\s+you\s+|could\s+you\s+|you\s+(?:should|can|must)\s+|"
    r"i(?:'d\s+like|'d\s+love|\s+want|\s+would\s+like|\s+need)\s+you\s+to\s+)*"
)
ORDER = PLEASE + r"(?:(?:always|never|don't|do\s+not|only|just|try\s+to|stop|avoid)\s+)?" + PLEASE
ANSWERS = (
    r"(?:(?:your|the|all|my)\s+)*(?:answers?|repl(?:y|ies)|responses?|messages|explanations?)\b"
)
ANSWER = r"(?:answer(?:ing)?|repl(?:y|ying)|respon(?:d|ding)|writ(?:e|ing)|speak|talk|chat)\b"
LANGUAGES = (
    r"(?:english|german|french|spanish|italian|portuguese|russian|ukrainian|polish|dutch|turkish|"
    r"arabic|hebrew|chinese|mandarin|japanese|korean|hindi|swedish|norwegian|danish|finnish|"
    r"greek|czech|hungarian|romanian|vietnamese|thai|persian|farsi|urdu|bengali)"
)
DAY = (
    r"(?:(?:january|february|march|april|may|june|july|august|september|october|november|"
    r"december|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec)\.?\s+\d{1,2}(?:st|nd|rd|th)?\b"
    r"|\b\d{1,2}(?:st|nd|rd|th)?\s+(?:of\s+)?(?:january|february|march|april|may|june|july|august|"
    r"september|october|november|december)\b|\b\d{4}-\d{2}-\d{2}\b)"
)
NUMBER = (
    r"(?:\d+|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|a\s+couple\s+of|twin)"
)
KIN = (
    r"(?:(?:older|younger|little|big|eldest|oldest|youngest|middle|late|new|step|twin|first|"
    r"second|best|\d+)[\s-]+)*(?:wife|husband|partner|girlfriend|boyfriend|fianc[ée]e?|spouse|"
    r"sons?|daughters?|kids?|child|children|baby|brothers?|sisters?|twins?|mother|father|mom|mum|"
    r"dad|parents|grand(?:mother|father|ma|pa|parents|son|daughter)|uncle|aunt|cousins?|niece|"
    r"nephew|dogs?|cats?|puppy|kittens?|parrot|hamster|rabbit|horse|pets?|friend|family|"
    r"roommate|flatmate|ex|(?:mother|father|brother|sister)-in-law)"
)
PARTNER = r"(?:wife|husband|partner|girlfriend|boyfriend|fianc[ée]e?|spouse)"
JOB = (
    r"(?:\w*(?:engineer|developer|dev|programmer|teacher|professor|nurse|doctor|lawyer|designer|"
    r"manager|director|architect|accountant|scientist|researcher|student|writer|author|editor|"
    r"journalist|photographer|musician|actor|actress|chef|cook|baker|waiter|waitress|driver|"
    r"pilot|mechanic|electrician|plumber|carpenter|farmer|gardener|hairdresser|barber|police\w*|"
    r"firefighter|soldier|translator|interpreter|librarian|consultant|analyst|administrator|"
    r"assistant|secretary|salesperson|seller|trader|banker|economist|founder|entrepreneur|ceo|cto|"
    r"freelancer|contractor|technician|operator|officer|therapist|psychologist|psychiatrist|"
    r"dentist|pharmacist|surgeon|veterinarian|vet|paramedic|midwife|caregiver|nanny|tutor|coach|"
    r"trainer|instructor|lecturer|biologist|chemist|physicist|mathematician|statistician|artist|"
    r"painter|sculptor|dancer|singer|composer|producer|filmmaker|model|tailor|butcher|fisherman|"
    r"sailor|captain|clerk|cashier|receptionist|recruiter|marketer|attorney|paralegal|judge|"
    r"priest|pastor|stay-at-home\s+\w+|housewife|intern|apprentice|retiree|pensioner|welder|"
    r"builder|postman|geologist|astronomer|bookkeeper|copywriter|blogger|streamer|bartender|"
    r"barista|tester|sysadmin|devops|realtor|radiologist|cardiologist|social\s+worker))\b"
)
TRAIT = (
    r"(?:allergic|intolerant|lactose|gluten|celiac|coeliac|diabetic|asthmatic|epileptic|autistic|"
    r"dyslexic|colou?r-?blind|deaf|blind|(?:left|right)[\s-]?handed|disabled|pregnant|short-?"
    r"sighted|near-?sighted|bilingual|trilingual|introvert(?:ed)?|extrovert(?:ed)?|retired|"
    r"unemployed|self-employed|jewish|muslim|christian|catholic|protestant|orthodox|buddhist|"
    r"hindu|atheist|agnostic|religious|gay|lesbian|bisexual|queer|trans|non-?binary|"
    r"afraid\s+of|scared\s+of|terrified\s+of|(?:very\s+|pretty\s+|really\s+)?(?:good|bad|terrible)"
    r"\s+(?:at|with)\b|fluent\s+in|addicted\s+to|prone\s+to|sensitive\s+to|colou?r\s+blind|"
    r"british|american|canadian|australian|irish|scottish|english|german|french|spanish|italian|"
    r"portuguese|russian|ukrainian|polish|dutch|turkish|arab|israeli|chinese|japanese|korean|"
    r"indian|swedish|norwegian|danish|finnish|greek|czech|hungarian|romanian|brazilian|mexican|"
    r"argentinian|colombian|swiss|austrian|belgian|egyptian|nigerian|vietnamese|thai)\b"
)
DOING = (
    r"(?:learning|studying|dating|training\s+(?:for|to)|saving\s+(?:up\s+)?(?:for|to)|raising|"
    r"expecting|writing\s+(?:a|my)\s+(?:book|novel|thesis|dissertation|phd)|"
    r"working\s+on\s+(?:a|an|my)\s+\w+|working\s+(?:towards?|part[\s-]time|full[\s-]time)|"
    r"recovering\s+from|building\s+(?:a|my)\s+(?:house|startup|company|app)|"
    r"planning\s+(?:to|on|a)|trying\s+to\s+(?:quit|stop|learn)|getting\s+(?:married|divorced)|"
    r"taking\s+\w+\s+(?:lessons|classes)|moving\s+to|running\s+a\b|"
    r"teaching|renovating|doing\s+(?:a|my)\s+(?:phd|master|bachelor|degree|mba)|"
    r"on\s+(?:a|the)\s+(?:\w+\s+)?diet)"
)
FEELING = (
    r"(?:love|adore|like|enjoy|hate|dislike|detest|loathe|despise|prefer|favou?r|can't\s+stand|"
    r"cannot\s+stand|can't\s+bear|couldn't\s+stand|don't\s+mind|(?:don't\s+)?care\s+for)"
)
POINTING = (
    r"(?:it|this|that|these|those|them|him|her|you|your|yours|how|what|when|where|the\s+way|so|"
    r"both|one|ones|the\s+(?:first|second|last|other|idea|answer|sound|new)|to\s+(?:know|see|ask|"
    r"hear|think|say|inform))\b"
)
NOT_HAD = (
    r"(?:(?:a|an|the|another|one|some|any|no|more|many|few|several|two|three|my|little|much|quick|"
    r"small|big|bad|terrible|really|weird|strange|couple|of)\s+)*"
    r"(?:questions?|problems?|issues?|headache|cold|fever|flu|meetings?|calls?|appointments?|idea|"
    r"ideas|doubts?|feeling|look|minutes?|moment|second|points?|plans?|date|lot|chance|time|clue|"
    r"requests?|suggestions?|favou?r|hunch|bug|error|deadline|exam|test|interview|to|not|been|had|"
    r"seen|fun|trouble|difficult\w+|things?|stuff|access|everything|nothing|enough|something|it|"
    r"this|that|them|you|done|made|gone|tried|read|heard|found|lost|forgotten|\w+ed|day|week|"
    r"night|breakfast|lunch|dinner|coffee|homework|work|words?|reason|opinion|choice|luck|flights?|train|bus|taxi|"
    r"proof|sore|stomach\w*|toothache|hangover|thoughts?|news|joke|story|task|what|money|need|"
    r"energy|cash|mood|confess\w*|good|great|nice)\b"
)
PASSING = (
    r"(?:think|guess|suppose|believe|hope|wish|wonder|know|mean|see|feel|need|want|understand|agree|"
    r"disagree|doubt|remember|forget|get|bet|swear|promise|apologi[sz]e|appreciate|assume|imagine|"
    r"expect|recommend|suggest|ask|say|tell|hear|notice|look|seem|sound|find|found|propose|"
    r"request|insist|dare|dunno|sense|fear|thank|regret|reali[sz]e|recall|refuse|give|send|put|"
    r"come|let|call|show|admit|confirm|accept|decide|figure|gather|concur|care|mind|try|keep|"
    r"plan|intend|welcome|deserve|miss|owe|beg|demand|pass|vote|second|"
    r"was|were|am|is|are|be|been|will|would|should|could|can|can't|cannot|might|may|must|shall|"
    r"ought|won't|wouldn't|shouldn't|couldn't|wasn't|weren't|haven't|hasn't|hadn't|had|have|has|"
    r"did|does|do|done|ain't|'ll|went|saw|ate|drank|came|took|gave|got|made|said|told|thought|knew|"
    r"felt|left|lost|kept|began|broke|brought|bought|built|caught|chose|cut|drew|drove|fell|fought|"
    r"flew|forgot|froze|grew|heard|held|hit|hurt|laid|led|lent|lay|lit|meant|met|paid|ran|rode|"
    r"rose|sent|set|shook|shot|shut|sang|sat|slept|spoke|spent|stood|stole|stuck|swam|taught|"
    r"threw|understood|woke|wore|won|wrote|became|quit|spilled|for|and|or|but|in|on|at|to|of|as|"
    r"the|a|an|too|there|here|not|no|yes|if|who|whom|with|myself|lol|love|like|hate|"
    r"enjoy|prefer|\w+ed|\w+ing)\b"
)
HABIT_ALONE = (
    r"(?:smoke|drive|drink|freelance|commute|meditate|paint|sing|dance|ski|surf|swim|cycle|garden|"
    r"knit|code|climb|fish|hunt|vape|snore|sew|sail|dive|box|fence|stutter)"
)
