"""Chinese, as one table: what people most often say of themselves. There are no spaces, so the
shapes stand beside each other without any."""

from memory.language.shapes import Language, Phrases, fact, liking, nothing, pattern

_ADV = (
    r"(?:现在|現在|也|已经|一直|目前|就|都|很|最|真的|其实|还|特别|非常|每天|经常|平时|从小|"
    r"以前|曾经)*"
)
_NO = rf"{_ADV}(?:不再|再也不|从来不|从不|不太|不|没)?{_ADV}"
_I = rf"(?:我们?{_NO})"
_KIN = (
    "(?:妻子|老婆|太太|丈夫|老公|先生|女朋友|男朋友|女友|男友|未婚妻|未婚夫|儿子|女儿|孩子|宝宝|"
    "哥哥|弟弟|姐姐|妹妹|妈妈|爸爸|母亲|"
    "父亲|父母|爷爷|奶奶|外公|外婆|叔叔|阿姨|舅舅|姑姑|表哥|表弟|表姐|表妹|狗|猫|宠物|朋友|同事|"
    "老板|邻居|室友|家人)"
)
_START = "(?:我|请|现在|目前|以后)"

RULES = (
    liking(r"(?:请|以后|麻烦)*(?:你)?(?:都|总是|一直)?用(?:中文|英文|英语|法语|德语|西班牙语|"
        r"日语)(?:回答|回复|跟我).*", "answer_language", 8),
    liking(r"(?:请|以后|麻烦)*(?:你的)?(?:回答|回复|说话)(?:请|都)?(?:尽量|要|得)?(?:简短|简洁|"
        r"短|简单|详细).*|(?:请|以后|麻烦)*(?:简短|简洁|简单)(?:地)?(?:回答|"
        r"回复).*", "answer_length", 7),
    liking(r"(?:请|以后)*(?:叫我|称呼我).+|(?:请)?(?:不要|别)用表情.*", None, 7),
    liking(r"我最喜欢的(?P<noun>[^是]{1,8})是.+", "favorite_{noun}"),
    nothing(rf"{_I}(?:喜欢|爱|讨厌)(?:你|这个|那个|它)?$"),
    liking(rf"{_I}(?:喜欢|爱吃|爱喝|热爱|讨厌|偏爱|更喜欢|受不了|爱)(?!你).+|.{{1,8}}我{_NO}喜欢"),
    fact(r"我(?:的名字)?(?:叫|名叫|是叫)(?!你|他|她).+|我的名字是.+", "name", 9),
    fact(r"我的?生日(?:是|在).+|我(?:出生于|是).*\d+年.*(?:出生|"
        r"生)的?", "birthday", 8, lasting=True),
    fact(r"我(?:来自|老家(?:是|在)|是(?=.{1,6}人$)).+", "origin", 7),
    fact(r"我对.+(?:过敏|不耐受).*|我有.*(?:过敏|糖尿病|哮喘|高血压).*", None, 9),
    fact(rf"{_I}(?:结婚|离婚|单身|订婚|已婚|未婚).*", "marital_status", 8, lasting=True),
    fact(rf"{_I}(?:吃素|是素食者|是素食主义者).*|{_NO}吃(?:肉|猪肉|牛肉).*", "diet", 8),
    fact(rf"我(?:的|有个|有一个|有一位)?{_KIN}.+", None, 7),
    fact(r"我的(?:爱好|职业|梦想|目标|专业|母语|信仰|血型|车).*是.+", None, 6),
    nothing(r"我的"),
    fact(rf"{_I}在.+(?:工作|上班|任职)(?!的).*|我从.+(?:辞职|离职).*|我(?:换|跳槽).*(?:工作|"
        rf"公司).*", "employer", 8, lasting=True),
    fact(rf"{_NO}在.+(?:工作|上班)了?$", "employer", 8),
    fact(rf"{_I}(?:住在|住|搬到|搬去|搬家到|定居在).+", "home", 8, lasting=True),
    fact(rf"{_I}(?:在.+(?:读书|上学|念书|读大学)|学(?!会|不)|读).+", "school", 7),
    fact(r".*(?:我要|我有|我得|我|要)(?:去|做|参加)?.*(?:预约|考试|手术|婚礼|面试|看牙|牙医|体检|"
        r"结婚|出发).*\d*.*", None, 6, lasting=True),
    nothing(r"我(?:有|还有)(?:个|一个|点|些)?(?:问题|疑问|事|想法|空|时间)"),
    fact(rf"{_I}(?:有|养了?|生了)(?:一|两|二|三|四|五|\d|个|只|条|没).*\S+", None, 6),
    fact(rf"{_I}是(?:一)?(?:名|位|个)?.*(?:师|员|生|医|家|工|手|者|司机|护士|经理|律师|程序员|"
        rf"左撇子|人).*", "job_title", 7),
    nothing(r"我(?:是不是|觉得|想|要|知道|认为|在想|可以|能|该|应该|需要)"),
    fact(rf"{_I}(?:会|能)(?:说|弹|开|游|做|唱|跳|打|拉|画|骑|滑).+|{_I}(?:弹|打|踢|拉|喝|吃|抽|"
        rf"收集|练|跑|玩|学习|戴)(?!个|一下).+", None, 6),
)  # fmt: skip

CHINESE = Language(
    code="zh",
    words=frozenset(),
    letters=pattern(r"(?![\s\S]*[\u3040-\u30ff])[\s\S]*[\u4e00-\u9fff]"),
    rules=RULES,
    phrases=Phrases(
        said="{who}：{quotes}。",
        asked="{who}问：{quotes}。",
        you_said="你说过：{quotes}。",
        you_asked="你问过：{quotes}。",
    ),
    boundary=pattern(rf"[，,；、]\s*(?:而且|但是|但|不过|所以|然后)?(?={_START})"),
    own=pattern("我"),
    lead_in=pattern(
        r"(?:你好|您好|嗨|哈喽|早上好|晚上好|好的?|好吧|嗯|对了|其实|顺便说一下|是啊|谢谢|不|"
        r"不对|不是|对|那个|还有|另外|但是|不过|而且|"
        r"请?(?:记住|记得|记一下))[，,。！!：: ]+|(?:对了|其实|还有|另外|而且|但是|不过)(?=我)"
    ),
    jest=pattern(r"开玩笑|逗你(?:的|玩)|哈哈哈*(?:假的|骗你)"),
    laughter=pattern(r"哈哈|嘻嘻|呵呵|[😂🤣😜]"),
    unreal=pattern(r"(?:如果|要是|假如|假设|万一|假使|即使)|.*(?:如果|要是).*"),
    make_believe=pattern(r"(?:想象|假装|假设|扮演)"),
    task=pattern(r"(?:请|帮我|麻烦)*(?:翻译|修改|改写|润色|总结|写)[^：:]*[：:]"),
    report=pattern(rf"(?!我们?{_NO}(?:说|觉得))(?:我的?)?(?:{_KIN}|他|她|医生|老师|有人|"
        rf"别人).*?(?:说|认为|觉得|写道|告诉|发来|问)"),
    contrast=pattern("但是|但|不过"),
    asking=pattern(r"[，,；]\s*(?=(?:你|什么|怎么|哪|为什么|能|可以|是不是|有没有|安全|带))"),
    polite=pattern(r".*(?:可以|能|能不能|可不可以).*(?:回答|回复|叫我).*"),
    off_record=pattern(r"(?:请)?(?:不要|别)(?:记住|保存|记下)|忘掉"),
    fleeting=pattern(r"今天|明天|昨天|刚才|刚刚|马上|今晚"),
    negation=pattern("不|没|辞职|离职|从不"),
    besides=pattern("也"),
    relatives=pattern(rf"我的?{_KIN}"),
    request=pattern(r"请|麻烦|叫我|用"),
)  # fmt: skip
