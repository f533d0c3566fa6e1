"""Words that people use for one thing, as one table per language.

A question seldom has the words of its answer: "what did I tell you about my job?" was answered by
"I work at Acme Corp". The words of one row stand in for each other in a query, at less weight than
the word that was asked for. Another language is one more table, in the words as written."""

from collections.abc import Mapping, Sequence
from functools import cache

from memory.search.text import pairs, stems

_ENGLISH = """
job work employer employed company career profession occupation office boss colleague workplace
birthday born birth birthdate old age
live lives home address apartment house reside moved city town hometown
name called nickname
family wife husband partner spouse son daughter child kid mother father mom dad sister brother
food eat meal dish cuisine cook restaurant diet dinner lunch recipe vegetarian vegan spicy
drink coffee tea beer wine
pet pets dog cat puppy kitten
hobby hobbies interest interests enjoy sport
like likes love prefer enjoy favorite favourite
dislike hate avoid
language languages python javascript typescript java rust golang english spanish french german
study student university college school degree major graduated education
car vehicle drive
phone number email contact
trip travel vacation holiday journey visit
health doctor allergy allergic illness sick medication
buy bought purchase purchased
film movie
music song band concert
book read reading novel
marry married wedding fiancé fiancée engaged
salary income earn money
age old years
illness disease diagnosed
"""

_GERMAN = """
arbeit arbeite arbeitet job beruf beruflich firma büro chef kollege kollegin
geburtstag geburtsdatum geboren alter
wohne wohnt wohnung lebe adresse stadt zuhause umgezogen
familie frau mann ehefrau ehemann sohn tochter kind mutter vater mama papa schwester bruder
essen esse isst mahlzeit gericht kochen koche rezept restaurant abendessen mittagessen vegetarisch
trinken trinke kaffee tee bier wein
haustier hund katze kater welpe
liebe lieblings bevorzuge gerne
allergie allergisch krankheit krank arzt gesundheit medikament
auto wagen fahrzeug
studium studiere studiert universität uni schule
reise urlaub ferien ausflug
kaufen kaufte gekauft
film kino
musik lied band konzert
buch lese lesen gelesen
plan plane plante geplant
"""

_SPANISH = """
trabajo trabajar trabaja empleo profesión oficina jefe empresa dedica
cumpleaños nací nacimiento edad
vivo vive vivir casa ciudad piso dirección
familia marido esposo esposa mujer hijo hija madre padre mamá papá hermana hermano
comida cena cenar almuerzo almorzar plato cocinar receta restaurante vegetariano dieta
bebo beber café té cerveza vino
mascota perro gato cachorro
gusta encanta prefiero favorito
alergia alérgico enfermedad enfermo médico salud medicina
coche carro auto conduzco
estudio estudia universidad escuela carrera
viaje vacaciones excursión
comprar compré compra
película cine
música canción grupo concierto
libro leer leo
"""

_RUSSIAN = """
работа работаю работает работать профессия должность начальник коллега офис
рождение рождения родился родилась возраст
живу живёт жить адрес город квартира переехал
семья жена муж сын дочь ребёнок дети мама папа мать отец сестра брат
еда ем ест кушать блюдо ужин обед завтрак готовить приготовить рецепт ресторан
пью пить кофе чай пиво вино
питомец собака пёс кот кошка щенок котёнок
люблю нравится обожаю предпочитаю любимый
аллергия болезнь болею врач здоровье лекарство
машина автомобиль вожу
учусь учёба учиться университет институт школа студент
поездка путешествие отпуск каникулы
купил купила покупка купить
фильм кино
музыка песня группа концерт
книга читать читаю
"""

_CHINESE = """
工作 上班
生日 出生 年龄
喜欢 爱好 兴趣
吃饭 做菜 美食 餐厅 饮食
开车 汽车 车子
学习 大学 学校 专业
旅游 旅行 行程 出差
电影 影片
音乐 歌曲
医生 医院 生病
丈夫 妻子 老公 老婆
"""

_TABLES: Mapping[str, str] = {
    "english": _ENGLISH,
    "german": _GERMAN,
    "spanish": _SPANISH,
    "russian": _RUSSIAN,
    "chinese": _CHINESE,
}


@cache
def _groups() -> dict[str, frozenset[str]]:
    groups: dict[str, set[str]] = {}
    for language, table in _TABLES.items():
        for line in table.strip().splitlines():
            row = {stem for word in line.split() for stem in _index_words(word, language)}
            for stem in row:
                groups.setdefault(stem, set()).update(row)
    return {stem: frozenset(group - {stem}) for stem, group in groups.items()}


def _index_words(word: str, language: str) -> Sequence[str]:
    return pairs(word) if language == "chinese" else stems(word, language)


def related(stem: str) -> frozenset[str]:
    """The index words that may stand in for this one; none if it is in no table."""
    return _groups().get(stem, frozenset())
