"""How much of the window a message needs: a few turns, or all of it when it points back. Pure.

A message that points back ("go on", "as before", "what did you just say?") can't be understood
without what it points to; most others can. The rules are phrases of many languages, matched as
whole words. They rather take a message for one that points back than not: that costs tokens, the
other mistake costs the thread."""

import re
import unicodedata

#: The newest turns that every message is shown with: what "yes", "why?" and "the second one" are
#: about.
FEW_TURNS = 3

#: Asking to go on, where it is all of the message or its beginning, before a comma or the like:
#: "continue", "continue, please", but not "continue my studies".
_GOING_ON = """
continue | please continue | go on | please go on | carry on | keep going | tell me more | more |
and then | what next | next | what happened next | where were we | where did we leave off
продолжай | продолжайте | продолжи | продолжим | давай дальше | дальше | а дальше | ещё | еще
продовжуй | продовжуйте | далі
continúa | continua | sigue | siga | sigamos | cuéntame más | y luego | y después
weiter | weiter bitte | bitte weiter | mach weiter | machen sie weiter | erzähl weiter |
fahr fort | und dann
vai avanti | vada avanti | avanti | prosegui | continua pure | e poi | dimmi di più
continue por favor | pode continuar | prossiga | segue | e depois | e aí | conta mais
continuez | poursuis | poursuivez | vas y continue | et ensuite | et après | la suite
जारी रखो | जारी रखें | जारी रखिए | आगे बताओ | आगे बताइए | आगे | और बताओ | फिर
devam | devam et | devam edin | sonra
ga door | ga verder | verder | kontynuuj | mów dalej | dalej
继续 | 繼續 | 接着 | 続き | 계속 | ต่อ
أكمل | تابع | استمر | واصل | وبعدين | ثم ماذا
"""

#: Pointing back, wherever it stands.
_BACK = """
as before | like before | from before | earlier | said before | told you before | asked before |
we discussed | we talked about | we were talking | we spoke about | we agreed | you said |
you just said | did you say | did you just say | were you saying | you were saying |
you mentioned | did you mention | you told me | did you tell me | you suggested | did you suggest |
you recommended | did you recommend | you wrote | your previous | your last | your first answer |
did i say | did i tell | did i ask | did i mention | did i just | i just said | i just told |
i said | i told you | i mentioned | i asked you | as previously | previously mentioned |
previously discussed | previous answer | previous message | previous question | previous one |
the above | last answer | last message | last question | we have so far | we had so far |
the same way | say that again | repeat that | once more | let's go back to | let's get back to |
back to our | back to what | sum up what | recap
как раньше | как прежде | как до этого | как и раньше | ранее | как выше | написано выше |
ты сказал | ты сказала | вы сказали | ты говорил | ты говорила | вы говорили | ты только что |
вы только что | ты писал | ты писала | ты предлагал | ты советовал | ты предложил |
ты посоветовал | ты упомянул | я сказал | я сказала | я говорил | я говорила | я спрашивал |
я спрашивала | я упоминал | я упоминала | мы говорили | мы обсуждали | мы решили |
мы остановились | повтори | повторите | напомни что | вернёмся | вернемся | предыдущий ответ |
предыдущее сообщение | прошлый ответ | последний ответ | подытожь | то же самое
як раніше | ти сказав | ти сказала | ти казав | ми говорили
como antes | igual que antes | lo de antes | lo anterior | anteriormente | dijiste | dijo usted |
acabas de decir | decías | mencionaste | sugeriste | recomendaste | te dije | te he dicho |
te pregunté | te conté | hablamos de | hablábamos | quedamos en | repite | repítelo | como arriba |
volvamos a | volviendo a | tu respuesta anterior
wie vorher | wie zuvor | wie vorhin | wie eben | wie gehabt | wie oben | siehe oben | vorhin |
hast du gesagt | du gesagt hast | haben sie gesagt | sie gesagt haben | du sagtest | sie sagten |
hast du gerade | hast du eben | du eben | du gerade gesagt | hast du erwähnt | du erwähnt |
hast du vorgeschlagen | du vorgeschlagen | hast du empfohlen | du empfohlen | habe ich gesagt |
ich gesagt habe | hab ich gesagt | ich sagte | ich dir gesagt | ich dir erzählt | ich gefragt |
haben wir besprochen | wir besprochen | wir gesprochen | wir geredet | zurück zum thema |
wiederhole | wiederhol | noch einmal bitte | sag das noch | fass zusammen | deine letzte antwort
come prima | quello di prima | in precedenza | risposta precedente | messaggio precedente |
hai detto | ha detto lei | dicevi | hai appena detto | hai menzionato | hai suggerito |
hai consigliato | ti ho detto | ho detto | ti ho chiesto | ti avevo detto | abbiamo parlato |
parlavamo | abbiamo discusso | abbiamo deciso | ripeti | torniamo a | tornando a | di cui sopra
como dantes | igual a antes | você disse | disseste | tu disse | acabou de dizer |
acabaste de dizer | você mencionou | você falou | você sugeriu | você recomendou | eu disse |
te disse | te falei | eu falei | eu perguntei | falamos sobre | falávamos | conversamos sobre |
combinamos | repete | repita | como acima | voltando ao | voltemos a | resposta anterior
comme avant | tout à l'heure | comme précédemment | précédemment | ci dessus | tu as dit |
tu m'as dit | vous avez dit | vous m'avez dit | tu disais | vous disiez | tu viens de dire |
vous venez de dire | tu viens d'écrire | as tu dit | avez vous dit | tu as mentionné |
tu as proposé | tu as suggéré | tu as conseillé | j'ai dit | je t'ai dit | je vous ai dit |
je disais | je t'ai demandé | nous avons parlé | on a parlé | on parlait | on a dit | on disait |
répète | répétez | revenons | ta réponse précédente | ta dernière réponse
पहले की तरह | पहले जैसा | पहले जैसे | तुमने कहा | आपने कहा | तूने कहा | अभी कहा | अभी क्या कहा |
पहले कहा | पहले बताया | तुमने बताया | आपने बताया | मैंने कहा | मैंने बताया | मैंने पूछा |
हमने बात की | हम बात कर रहे थे | दोहराओ | दोहराइए | फिर से बताओ | फिर से बताइए | पिछला जवाब |
पिछले जवाब
daha önce dediğin | az önce | demin | önceki gibi | dediğin | söylediğin | söylemiştin | dedin |
ne demiştin | konuştuğumuz | konuşmuştuk | tekrar et
zoals eerder | zoals net | je zei | zei je | u zei | ik zei | we hadden het over | herhaal
jak wcześniej | jak poprzednio | mówiłeś | mówiłaś | powiedziałeś | powiedziałaś | mówiłem |
mówiłam | rozmawialiśmy | powtórz
كما قلت | كما سبق | كالسابق | ماذا قلت | قلت لي | قلت لك | ذكرت سابقا | سابقا | قبل قليل |
تحدثنا عن | كرر | أعد ما
"""

#: The same in scripts without spaces: wherever the characters stand.
_UNSPACED = """
继续说 | 继续讲 | 请继续 | 請繼續 | 继续吧 | 接着说 | 接著說 | 接着讲 | 往下说 | 然后呢 | 然後呢 |
像之前 | 跟之前 | 和之前 | 之前说 | 之前說 | 之前讲 | 之前的 | 之前提 | 之前聊 | 之前问 | 你刚才 |
你剛才 | 你刚刚 | 你剛剛 | 刚才说 | 刚刚说 | 剛才說 | 刚才的 | 刚刚的 | 前面说 | 前面的 | 前面提 |
上面说 | 上面的 | 上面提 | 你说过 | 你說過 | 你说的 | 你說的 | 我说过 | 我說過 | 我说的 | 我問過 |
我问过 | 我们聊 | 我们说 | 我们谈 | 我們聊 | 再说一遍 | 再說一遍 | 重复一 | 上一个 | 上一条 |
跟以前一样 | 像以前一样 | 总结一下
続けて | 続きを | さっき | 先ほど | 前に言 | 前のよう | 以前のよう | 言ったこと | 言いました |
もう一度 | 繰り返し
계속해 | 계속 해 | 계속 말 | 이어서 말 | 아까 | 방금 말 | 방금 뭐 | 앞서 말 | 전처럼 | 이전처럼 |
말했던 | 말씀하신 | 다시 말해
ต่อไปเลย | ต่อเลย | เมื่อกี้ | ก่อนหน้านี้ | เหมือนเดิม | ที่คุยกัน | พูดอีกครั้ง
"""

#: "Earlier" that compares points nowhere.
_COMPARED = re.compile(r"\b(?:up|much|even|bit|little|hours?|days?) earlier\b|\bearlier than\b")
_ACCENTS = re.compile("[\u0300-\u036f]")
_DROPPED = re.compile(r"[^\w\s\u0900-\u097f\u0e00-\u0e7f]+")
_CLAUSE = re.compile(r"[,.;:!?…—。，！？、।؟،\n]+")


def points_back(text: str) -> bool:
    """Whether a message can only be understood with what was said before it."""
    spoken = _plain(text)
    if any(phrase in spoken for phrase in _UNSPACED_PHRASES):
        return True
    spoken = _COMPARED.sub(" ", spoken)
    opening = _plain(_CLAUSE.split(text.strip(), maxsplit=1)[0])
    return opening in _GOING_ON_PHRASES or _BACK_PATTERN.search(f" {spoken} ") is not None


def turns_to_show(text: str, turns: int) -> int:
    """How many of the newest turns a message goes to the model with, of as many as there are."""
    return turns if points_back(text) else min(FEW_TURNS, turns)


def _plain(text: str) -> str:
    """A text's words with one space between them, without case, accents and punctuation."""
    decomposed = unicodedata.normalize("NFKD", text.casefold())
    folded = unicodedata.normalize("NFC", _ACCENTS.sub("", decomposed))
    return " ".join(_DROPPED.sub(" ", folded).split())


def _phrases(table: str) -> frozenset[str]:
    lines = (line.rstrip(" |") for line in table.strip().splitlines())
    return frozenset(_plain(phrase) for line in lines for phrase in line.split("|"))


_GOING_ON_PHRASES = _phrases(_GOING_ON)
_UNSPACED_PHRASES = _phrases(_UNSPACED)
_BACK_PATTERN = re.compile(" (?:" + "|".join(sorted(map(re.escape, _phrases(_BACK)))) + ") ")
