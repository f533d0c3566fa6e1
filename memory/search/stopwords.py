"""The small words of the main languages: they carry grammar, not topics.

They are taken out of queries, never out of the index, and they tell the language of a text written
in Latin letters. `CHATTER` holds the words of greetings, thanks and of talking about memory itself
("what did I tell you about …"), which name no topic either."""

from collections.abc import Mapping


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


#: Grammar words by Snowball language, lower case, as written (apostrophes split words).
STOP_WORDS: Mapping[str, frozenset[str]] = {
    "english": _words("""
        a about above after again all also am an and any are aren as at be because been
        before being below between both but by can cannot could couldn did didn do does
        doesn doing don down during each either else ever every few for from further had
        hadn has hasn have haven having he her here hers herself him himself his how however
        i if in into is isn it its itself just ll m me might more most much must my myself
        neither no nor not of off on once only or other our ours out over own per re s same
        shall she should shouldn so some such t than that the their theirs them themselves
        then there these they this those though through to too under until up upon us ve
        very was wasn we were weren what whatever when where whether which while who whom
        whose why will with within without won would wouldn yet you your yours yourself
    """),
    "german": _words("""
        aber alle allem allen aller alles als also am an ander andere anderen auch auf aus
        bei beim bin bis bist da damit dann das dass dein deine deinem deinen deiner dem den
        denn der des dich die dies diese diesem diesen dieser dieses dir doch dort du durch
        ein eine einem einen einer eines er es etwas euch euer eure für gegen gibt hab habe
        haben hat hatte hattest hast hier hin ich ihm ihn ihnen ihr ihre ihrem ihren ihrer
        im in ins ist ja jede jeden jeder jetzt kann kannst kein keine keinen könnte machen
        man mein meine meinem meinen meiner mich mir mit muss nach nicht nichts noch nun nur
        ob oder ohne schon sehr sein seine seinem seinen seiner sich sie sind so soll
        sondern über um und uns unser unsere unter viel vom von vor wann war waren warum was
        weil welche welchem welchen welcher welches wenn wer werde werden wessen wie wieder
        will wir wird wirst wo woher wohin wurde würde zu zum zur zwischen
    """),
    "french": _words("""
        a ai aie alors as au aucun aussi autre aux avais avait avec avez avoir avons c ce
        ceci cela celle celui ces cet cette ceux chaque comment d dans de depuis des dont du
        elle elles en encore entre es est et étaient était être eu fait faire fais fut ici
        il ils j je l la le les leur leurs lui m ma mais me même mes moi mon n ne ni nos
        notre nous on ont ou où par parce pas peu peut peux plus pour pourquoi qu quand que
        quel quelle quelles quels qui quoi s sa sans se sera ses si son sont sous suis sur t
        ta te tes toi ton tous tout toute toutes très tu un une vais vos votre vous y
    """),
    "spanish": _words("""
        a al algo algún alguna algunas alguno algunos ante antes aquel aquella así aunque
        cada como cómo con contra cual cuál cuándo cuando cuánto de del desde donde dónde
        dos e el él ella ellas ellos en entre era eran eres es esa esas ese eso esos esta
        está están estaba estás este esto estos estoy fue fueron ha había han has hasta hay
        he la las le les lo los más me mi mí mis muy nada ni no nos nosotros o os otra otro
        para pero poco por porque pues que qué quien quién se sea ser si sí sin sobre son
        soy su sus también te tengo ti tiene tienes tu tú tus un una unas uno unos usted y
        ya yo debo debería hace hacer hago puede puedes puedo quiere quieres quiero voy
    """),
    "italian": _words("""
        a abbiamo ad agli ai al alla alle allo anche ancora avere aveva c che chi ci come
        con così cosa cui d da dai dal dalla dalle dei del della delle dello di dove e è ed
        era erano essere fa gli ha hai hanno ho i il in io l la le lei li lo loro lui ma me
        mi mia mie miei mio molto ne negli nei nel nella nelle no noi non nostro o ogni per
        perché però più poi qual quale quali quando quanto quella quelle quello questa
        queste questi questo se sei si sia siamo sono sta stato su sua sue sui sul sulla suo
        suoi ti tra tu tua tue tuo tuoi un una uno vi voi
    """),
    "portuguese": _words("""
        a ainda ao aos às aquela aquele as até com como da das de dela dele delas deles
        depois do dos e é ela elas ele eles em entre era eram essa esse esta está estão
        estava este eu foi foram há isso isto já lhe mais mas me mesmo meu meus minha minhas
        muito na nas não nem no nos nós num numa o onde os ou para pela pelas pelo pelos por
        porque qual quais quando quanto que quem se seja sem ser seu seus só sobre são sua
        suas também te tem tenho ter teu tinha tu tua um uma umas uns você vocês vos
    """),
    "dutch": _words("""
        aan al alle als altijd ben bent bij daar dan dat de deze die dit doe doen door dus
        een en er ging haar had heb hebben hebt heeft hem het hier hij hoe hun ik in is ja
        je jij jou jouw kan kun maar me meer mij mijn moet na naar niet niets nog nu of om
        omdat onder ons onze ook op over te tegen toch toen tot u uit uw van veel voor waar
        waarom wanneer want waren was wat welke werd wie wij we wil worden zal ze zelf zich
        zij zijn zo zonder zou
    """),
    "russian": _words("""
        а без был была были было быть в вам вас весь во вот все всё вы где да даже для до
        его ее её ей если есть еще ещё же за здесь и из или им их к как какая какие какой
        каком какую ко когда кого кому который которая ли либо мне много может мой моя моё
        мои моего моей моем моих мою мы на над надо наш не него нее неё нет ни них но ну о
        об однако он она они оно от очень по под при про с со свой себя сколько так также
        такой там те тебе тебя тем то того тоже той только том ты твой у уже хотя чего чей
        чем через что чтобы чье эта эти это этого этой этом этот я будем будет будешь буду
        будут быть вами зачем меня мной нам нами нему ним ними почему себе собой тебя тобой
        этим этими этих эту
    """),
}

#: Small words of languages with letters of their own, which no Latin text can be taken for.
OTHER_STOP_WORDS = _words("""
    אני אתה את אתם הוא היא הם הן אנחנו של על עם אל או אם כי לא כן גם רק זה זאת זו אלה מה מי
    איפה מתי איך למה כמה איזה איזו יש אין היה היתה הייתה היו לי לך לו לה שלי שלך שלו שלה
    אותי אותך אותו כל في من على إلى عن مع هذا هذه ذلك التي الذي ما ماذا متى أين كيف لماذا كم
    هل هو هي هم أنا أنت نحن لا نعم أو و ثم قد كان كانت لي لك أن إن أنه أنها أي أيضا بعد بين جدا حتى
    عليه عليها عند عندي فيه فيها قبل كنت لدي لدينا لقد لم لن له لها ليس ليست منه منها هنا هناك
    يكون και το τα ο η οι του της των
    τον την τους τις σε με για από που πως πού πώς πότε τι ποιος ποια είναι ήταν έχω έχει
    μου σου θα να δεν μην εγώ εσύ क्या कब कहाँ कौन कैसे क्यों मैं मेरा मेरी मेरे मुझे तुम आप
    का की के को में से पर है हैं था थी और
""")

#: Chinese and Japanese question and grammar words. They part the text of a query as a space does.
UNSPACED_STOP_WORDS = _words("""
    是什么时候 什么时候 是什么 为什么 有什么 什么 怎么样 怎么 哪里 哪儿 哪个 哪些 哪位 多少 是否
    请问 告诉我 告诉 记得 知道 我们 你们 他们 她们 这个 那个 的话 我的 你的 应该 可以 可不可以
    能不能 有没有 是不是 今天 明天 现在 一下 一个 一些 觉得 帮我 帮忙 想要
    的 了 吗 呢 吧 啊 呀 哦 嗯 是 在 我 你 您 她 它 和 与 谁 几 何时 哪
    ください です ます でした ました いつ どこ だれ なに 何 どう なぜ は が を に の と で も か
""")

#: Small words that are names of people, too.
ALSO_NAMES = _words("al ben bin dan don ella elle mai mia per sue una will")

#: Small words that turn a sentence round.
NEGATIONS = _words("""
    no not never none nor cannot don t didn isn wasn won nicht kein keine keinen nie pas jamais ne
    nunca nem não non mai niet geen не нет ни никогда לא אין אל لا ما ليس
""")

#: Words that greet, thank, agree, or talk about telling and remembering instead of about a topic.
CHATTER = _words("""
    hello hi hey hiya yo bye goodbye thanks thank thx ty cheers welcome please sorry ok okay
    okey k yes yeah yep yup no nope nah sure cool great nice good fine perfect awesome lol
    haha hahaha wow oh ah hm hmm um uh right exactly indeed alright well really maybe
    actually tell told say said saying talk talked talking mention mentioned remember remind
    recall know knew known kind kinds type types sort many
    happen happened done think thought ask asked conversation
    conversations chat chats brought previously earlier discuss discussed let want wanted
    need show give got get getting go going anything something everything nothing thing
    things someone one ones today now hallo danke bitte tschüss ja nein gut super klar genau
    erzählt gesagt weißt weisst erinnerst bonjour salut merci oui non bien accord super dit
    sais souviens raconté
    hola gracias adiós sí vale bien bueno claro dije dicho sabes recuerdas ciao grazie prego
    sì bene certo detto sai ricordi olá oi obrigado obrigada sim tudo bem disse sabe lembra
    hoi bedankt nee goed prima gezegd weet привет спасибо пожалуйста пока да нет хорошо
    ладно ок ага здравствуйте знаешь помнишь говорил говорила рассказывал рассказывала
    сказал сказала расскажи скажи שלום תודה בבקשה בסדר טוב כן ביי אמרתי סיפרתי יודע יודעת
    זוכר זוכרת مرحبا شكرا حسنا طيب السلام عليكم قلت تعرف تتذكر
    again answer bit doing funny guess help helped helpful helping hope idea interesting joke looks
    lots meant mean means need needed needs problem question questions repeat thought today
    tomorrow tonight try trying understand understood way wonder wondering
    bescheid brauche brauchst frage fragen hilf helfen hilfe heute idee lustig mach machst mal
    meinst morgen sag sagen schade toll verstanden verstehe weiter wiederhole wiederholen wirklich
    ayuda ayudar ayúdame crees entendido entiendo favor genial gusto hoy idea increíble mañana
    necesito opinas pregunta repetir repite risa sigue verdad
    благодарю давай завтра здорово здравствуй идея интересно круто можешь можно могу может
    нужно отлично повтори понял поняла понятно помоги помочь помощь пожалуйста прикольно
    сегодня скучно смешно совет супер хочу хочешь думаешь думаю вопрос
    أريد أخبرني أعد أوكي تمام تعيد جزيلا جيد رائع رأيك ساعدني سؤال شيء عفوا غدا فضلك فهمت ممتاز
    مساعدة مساعدتي مضحك واو يمكن يمكنك يمكنني اليوم الآن
    week weeks weekend woche wochen wochenende semana semanas неделя неделю недели неделе выходные
    выходных أسبوع الأسبوع أسبوعين
    👍 🙏 😊 😀 😂 🤣 ❤ 👌 🙂 😅 😁 😉 🎉
    👏 🔥 😍
""")

#: Whole greetings whose single words do name topics elsewhere ("I run every morning").
GREETINGS = (
    "good morning", "good afternoon", "good evening", "good night", "good day", "how are you",
    "how is it going", "how's it going", "how are things", "what's up", "see you later", "see you",
    "talk to you later", "have a nice day", "have a good day", "have a great day", "no problem",
    "never mind", "no worries", "what's your name", "what is your name", "who are you",
    "are you a robot", "are you a bot", "are you human", "what time is it", "have a nice weekend",
    "have a good weekend", "you're the best", "tell me a joke", "long time no see",
    "sounds good", "got it",
    "guten morgen", "guten tag", "guten abend", "gute nacht", "wie geht's", "wie geht es dir",
    "wie heißt du", "wer bist du", "bist du ein roboter", "wie spät ist es", "alles klar",
    "keine ahnung", "kein problem", "bis morgen", "bis bald", "schönen tag noch",
    "schönes wochenende", "erzähl mir einen witz",
    "bonne nuit", "bonne journée", "comment ça va", "ça va", "à bientôt", "d'accord",
    "buenos días", "buenas tardes", "buenas noches", "qué tal", "hasta luego", "hasta mañana",
    "hasta pronto", "cómo estás", "cómo te llamas", "quién eres", "eres un robot", "qué hora es",
    "de nada", "no sé", "que tengas un buen día", "buen fin de semana", "cuéntame un chiste",
    "buongiorno", "buona notte", "buona sera", "come stai", "come va", "a presto",
    "bom dia", "boa tarde", "boa noite", "tudo bem", "até logo", "como vai",
    "goede morgen", "goedemorgen", "goede nacht", "tot ziens", "hoe gaat het",
    "доброе утро", "добрый день", "добрый вечер", "спокойной ночи", "как дела", "до свидания",
    "как тебя зовут", "кто ты", "ты робот", "который час", "до завтра", "не за что", "не знаю",
    "хорошего дня", "хороших выходных", "расскажи анекдот", "ничего страшного",
    "בוקר טוב", "ערב טוב", "לילה טוב", "מה נשמע", "מה שלומך", "להתראות",
    "صباح الخير", "مساء الخير", "كيف حالك", "مع السلامة",
    "ما اسمك", "من أنت", "هل أنت روبوت", "كم الساعة", "تصبح على خير", "إلى اللقاء", "أراك غدا",
    "لا بأس", "لا أعرف", "يوما سعيدا", "احك لي نكتة",
    "早上好", "晚上好", "下午好", "晚安", "你好", "您好", "谢谢", "再见", "好的", "没问题",
    "没关系", "不客气", "明白了", "知道了", "太好了", "太棒了", "明天见", "你叫什么名字", "你是谁",
    "你是机器人吗", "几点了", "不知道", "讲个笑话",
    "おはようございます", "おはよう", "こんにちは", "こんばんは", "おやすみ",
    "ありがとうございます",
    "ありがとう", "さようなら", "안녕하세요", "안녕",
    "감사합니다", "고마워", "잘자", "สวัสดี", "ขอบคุณ",
)  # fmt: skip
