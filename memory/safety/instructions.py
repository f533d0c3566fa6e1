"""Text that would give the assistant orders instead of telling something of a person.

The rule, applied to what is about to become a memory and would be read by a model for ever after:

- Kept: statements, and wishes on how to be spoken to, also as an imperative: "Always answer
  briefly", "Remember to always call me Anna", "Don't use emojis".
- Refused: what speaks of the assistant's instructions, rules, prompt or limits in order to have
  them ignored, changed or told; what obliges the assistant in the second person ("you must
  always …"); what puts it into another mode or gives somebody rights; what wants things hidden from
  the user, links in every answer, tools called; and marks of the machinery: roles with a colon,
  tokens of chat templates, tags.

It is a net, not a proof: recalled text stays escaped, delimited data whatever this lets through."""

import re
import unicodedata

_RULES = (
    r"(?:instructions?|rules?|prompts?|guidelines?|directives?|polic(?:y|ies)|restrictions?|"
    r"safeguards?|safety|filters?|guardrails?|programming|training|"
    r"anweisung\w*|regeln?|vorgaben?|richtlinien?|einschränkung\w*|"
    r"instrucciones|reglas|restricciones|normas|istruzioni|regole|restrizioni|"
    r"instruções|instrucoes|regras|restrições|consignes|règles|directives|restrictions|"
    r"инструкци\w+|правил\w*|указани\w+|ограничени\w+|промпт\w*)"
)
_IGNORE = (
    r"(?:ignor\w*|disregard\w*|forget|overrid\w+|bypass\w*|discard|drop|stop\s+following|"
    r"do\s+not\s+follow|"
    r"don't\s+follow|disobey|vergiss|vergesst|missachte\w*|umgeh\w*|"
    r"olvida\w*|dimentica\w*|esqueça|esqueca|desconsider\w+|oublie\w*|contourne\w*|"
    r"игнорир\w+|проигнорир\w+|забудь\w*|обойди\w*|нарушай\w*)"
)
_YOURS = (
    r"(?:your|all|any|every|previous|prior|earlier|above|preceding|the|these|those|system|safety|"
    r"deine?n?|ihre|alle|vorherigen?|bisherigen?|obigen?|tus|sus|todas|las|anteriores|previas|"
    r"le|tue|tutte|precedenti|suas|as|todas|tes|vos|toutes|les|précédentes|"
    r"сво\w+|тво\w+|все|всех|предыдущ\w+|прежн\w+|системн\w+)"
)
_SHAPES = (
    # Have the rules ignored.
    rf"\b{_IGNORE}\s+(?:[\w-]+\s+){{0,3}}?{_YOURS}\s+(?:[\w-]+\s+){{0,3}}?{_RULES}\b",
    rf"\b{_IGNORE}\s+(?:everything|all|anything|alles|todo|tutto|tudo|tout|всё|все)\b.{{0,25}}"
    r"\b(?:above|before|said|told|previous\w*|vorher\w*|oben|anterior\w*|precedente?|avant|выше|"
    r"раньше|до\s+этого)\b",
    r"(?:忽略|无视|無視し?|忘记|忘掉)[^。！]{0,12}(?:指令|指示|规则|規則|提示|说明|命令|ルール)",
    r"(?:指示|ルール|命令|プロンプト)を?(?:すべて)?(?:無視|忘れ)",
    rf"\b(?:new|updated|real|true|secret|neue|nuevas|nuove|novas|nouvelles|"
    rf"новые)\s+(?:system\s+)?{_RULES}\s*[:：]",
    # Oblige the assistant.
    r"\b(?:you|assistant|the\s+(?:assistant|ai|bot|model))\s+(?:must(?!\s+(?:be|have|feel|love|"
    r"really|think)\b)|shall|have\s+to|has\s+to|are\s+(?:required|obliged|ordered)|"
    r"will\s+(?:always|never|now|from\s+now)|are\s+(?:no\s+longer|not)\s+allowed|"
    r"may\s+no\s+longer)\b",
    r"\b(?:du\s+musst|sie\s+müssen|du\s+darfst\s+nicht|debes|tienes\s+que|deberás|devi|"
    r"devi\s+sempre|dovrai|"
    r"você\s+deve|voce\s+deve|tu\s+dois|vous\s+devez)\b",
    r"(?<!\w)(?:ты|вы)\s+(?:всегда\s+|теперь\s+)?(?:должен|должна|должны|обязан\w*)\b",
    r"(?:你|您)(?:必须|必須|一定要)|あなたは.{0,20}(?:なければならない|必要があります)",
    # Another mode, other rights.
    r"\b(?:developer|debug|god|admin|root|sudo|maintenance|dan|jailbreak|unrestricted|entwickler|"
    r"desarrollador|"
    r"sviluppatore|développeur)[\s-]*mod(?:e|us|o|alità)\b|режим\w*\s+(?:разработчик\w*|бога|"
    r"администратор\w*)|"
    r"\bmod[oe]\s+(?:desarrollador|sviluppatore|développeur|desenvolvedor)\b|开发者模式",
    r"\bjailbr(?:eak|oken)\w*|\bdo\s+anything\s+now\b|\b(?-i:DAN)\b",
    r"\b(?:without|no|free\s+of|ohne|sin|senza|sem|sans|без)\s+(?:any\s+|jede\s+|ninguna\s+|"
    r"aucune\s+|каких-либо\s+)?"
    r"(?:restrictions?|limitations?|filters?|censorship|guardrails|safety|einschränkungen|"
    r"restricciones|"
    r"restrizioni|restrições|ограничений|цензуры)\b",
    r"\b(?:you\s+are|you're|act\s+as|behave\s+as|pretend\s+to\s+be)\s+(?:now\s+)?(?:an?\s+)?"
    r"(?:unrestricted|unfiltered|uncensored|evil|admin\w*|root|system)\b",
    r"\b(?:grant\w*|give\w*|has|have|having|with)\s+(?:[\w-]+\s+){0,3}?"
    r"(?:admin\w*|root|full|unlimited|all)\s+(?:rights|access|privileges|permissions)\b",
    r"\btreat\s+(?:[\w-]+\s+){1,4}?as\s+(?:an?\s+|the\s+)?(?:admin\w*|root|owner|developer|"
    r"system|trusted)\b",
    r"\b(?:trust|obey|follow)\s+(?:[\w-]+\s+){0,3}?(?:instructions?|commands?|orders?)\b",
    # Have things told, hidden, called or spread.
    r"\b(?:reveal|print|show|repeat|output|leak|expose|disclose|display|send|share|tell|"
    r"exfiltrate|write\s+out)\s+"
    r"(?:[\w'-]+\s+){0,5}?(?:system\s+(?:prompt|message|instructions?)|"
    r"your\s+(?:\w+\s+)?(?:prompt|instructions?|rules)|"
    r"(?:other|all)\s+users?\b|(?:api\s+)?keys?\b|credentials|(?:bot\s+)?tokens?\b|passwords?)",
    r"\b(?:zeige?|verrate|gib\s+.{0,12}aus|muestra|revela|mostra|rivela|mostre|montre|révèle|"
    r"покажи|раскрой|выведи)\b"
    r".{0,30}\b(?:system-?\s*prompt\w*|systemanweisung\w*|prompt\s+(?:del\s+sistema|di\s+sistema|"
    r"do\s+sistema|système)|"
    r"инструкци\w+|системн\w+\s+\w+)",
    r"(?:显示|透露|输出|告诉我).{0,8}(?:系统提示|提示词|指令)",
    r"\b(?:without\s+telling|don't\s+tell|do\s+not\s+tell|never\s+tell|hide\s+(?:this|it)\s+from|"
    r"keep\s+(?:this|it)\s+from|"
    r"don't\s+mention\s+(?:this|it)\s+to)\s+(?:the\s+)?(?:user|users|anyone\s+that\s+you|"
    r"operator|developers?)\b",
    r"(?:^|[.,:;!?]\s*|\b(?:please|then|and|now|to)\s+)(?:call|invoke|execute|run|"
    r"trigger)\s+(?:the\s+)?(?:\w+_\w+|\w+\(\)|tool|function|shell|command|script)\b",
    r"\b(?:delete|erase|wipe|forget|remove)\s+(?:all|every|"
    r"everything\s+in)\s+(?:\w+\s+){0,3}?(?:memor(?:y|ies)|records?|notes?|data)\b",
    r"\b(?:always|append|add|include|insert|end|finish|begin|immer|siempre|sempre|toujours|"
    r"всегда)\b.{0,60}https?://",
    # Marks of the machinery.
    r"^\W*(?:system|assistant|developer|user|human|ai|tool|instructions?|"
    r"система|ассистент|пользователь|sistema|système|asistente|assistente|系统|助手|用户|システム)"
    r"(?:\s+(?:message|prompt|note|override))?\s*[:：>\]]",
    r"\bsystem\s+(?:prompt|message|override|note|instruction)s?\s*[:：]",
    r"\[\s*(?:system|/?inst|assistant|developer)\b|<<\s*/?\s*sys\s*>>|<\|[^|>]{1,30}\|>|"
    r"^\W*###?\s*(?:system|instruction|assistant|human|user)\b",
    r"</?\s*(?:system|assistant|user|developer|instructions?|prompt|recalled_notes|about_the_user|"
    r"known_notes|conversation|notes|memory|memories|script)\b[^>]*>",
    r"\b(?:begin|end)\s+(?:of\s+)?(?:system|user|assistant|prompt|instructions?|conversation)\b|"
    r"```\s*(?:system|tool|prompt)",
)  # fmt: skip
_INSTRUCTION = re.compile("|".join(f"(?:{shape})" for shape in _SHAPES), re.IGNORECASE)


def is_instruction(text: str) -> bool:
    """Whether this text reads as an order to the assistant about itself; letters that only look
    like others and invisible ones make no difference."""
    folded = unicodedata.normalize("NFKC", text)
    plain = "".join(c for c in folded if unicodedata.category(c) != "Cf").replace("’", "'")
    return _INSTRUCTION.search(" ".join(plain.split())) is not None
