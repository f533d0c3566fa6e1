"""German, as friends speak it: "du"."""

from bot.texts.plurals import Counted, one_other
from bot.texts.texts import Texts
from memory.errors import Refusal

_SAVED = "✨ Ich habe unser Gespräch zusammengefasst und das Wichtige gespeichert."
_LATER = (
    "Ich erreiche mein Sprachmodell gerade nicht. Bitte versuche es in ein paar Minuten noch "
    "einmal."
)
_SET_UP = (
    "Mein Sprachmodell verweigert mir den Dienst, und das kann nur mein Betreiber beheben. "
    "Bitte versuche es später noch einmal."
)


def _counted(one: str, other: str) -> Counted:
    return Counted(one_other, {"one": one, "other": other})


GERMAN = Texts(
    commands={
        "new": "Ein neues Gespräch beginnen; dieses wird gespeichert",
        "private": "Reden, ohne dass ich etwas behalte; erneut: beenden",
        "summarize": "Worum es in diesem Gespräch bisher ging",
        "memory": "Was ich über dich weiß",
        "search": "Etwas in meinem Gedächtnis suchen",
        "remember": "Einen Satz sofort merken",
        "edit": "Eine Erinnerung anders formulieren",
        "forget": "Eine Erinnerung nach ihrer Kennung löschen oder alle",
        "name": "Wie du mich nennst: ansehen oder ändern",
        "settings": "Sprache, Zeitzone, Länge und Form der Antworten",
        "language": "Deine Sprache: ansehen oder ändern",
        "timezone": "Deine Zeitzone: ansehen oder ändern",
        "export": "Alles, was ich über dich aufbewahre, als Dateien",
        "usage": "Verbrauch und Kosten: dieses Gespräch und heute",
        "ask": "Mich etwas fragen; für Gruppen",
        "stop": "Die laufende Antwort abbrechen",
        "help": "Was ich kann",
        "start": "Wer ich bin",
    },
    group_commands={
        "ask": "Mich etwas fragen",
        "memory": "Was ich über diese Gruppe weiß; für ihre Admins",
        "search": "Etwas in meinem Gedächtnis suchen; für Admins",
        "forget": "Eine Erinnerung löschen oder alle; für Admins",
        "name": "Wie ich hier heiße: ansehen oder ändern",
        "settings": "Sprache, Zeitzone, meine Antworten hier; für Admins",
    },
    owner_commands={
        "approve": "Jemanden mit Code oder ID hereinlassen",
        "users": "Wer mich benutzen darf und wer wartet",
        "stats": "Wie es läuft: Leute, Antworten, Fehler, Kosten",
    },
    start="Hallo! Ich bin {name}. Schreib mir einfach wie einem Menschen.",
    start_keeps=(
        "Ich merke mir, was du von dir erzählst und was du magst, auch für spätere Gespräche. "
        "/memory zeigt, was ich behalten habe, /forget löscht es, /export gibt dir alles."
    ),
    start_forgets=(
        "Mein Langzeitgedächtnis ist ausgeschaltet: Ich kenne nur unsere letzten Nachrichten."
    ),
    engine_none=(
        "Ich laufe ohne Sprachmodell: Ich verstehe, was du von dir erzählst, Namen, die du mir "
        "gibst, und Fragen danach, was ich weiß, am besten auf Englisch, Russisch und Deutsch."
    ),
    engine="Meine Antworten schreibt {model}.",
    engine_instead="Wenn es nicht erreichbar ist, nehme ich {models}.",
    help="Du kannst mir einfach schreiben. Diese Befehle gibt es:\n{commands}",
    unknown_command="/{given} kenne ich nicht. /help zeigt, was ich kann.",
    unknown_command_near=(
        "/{given} kenne ich nicht. Meinst du /{near}? /help zeigt alles, was ich kann."
    ),
    new="Ein neues Gespräch beginnt.",
    greeting_topics="Letztes Mal haben wir über {topics} gesprochen.",
    new_saved=f"{_SAVED}\nEin neues Gespräch beginnt.",
    new_later="Ein neues Gespräch beginnt. Das letzte speichere ich noch.",
    saved=_SAVED,
    saved_full=_counted(
        "Wir haben {count} Nachricht ausgetauscht, darum beginnt ein neues Gespräch.",
        "Wir haben {count} Nachrichten ausgetauscht, darum beginnt ein neues Gespräch.",
    ),
    saved_idle="Es war länger still, darum beginnt ein neues Gespräch.",
    private_on=(
        "🔒 Dieses Gespräch ist privat. Ich behalte nichts davon: Wenn es endet, ist es weg. Was "
        "ich schon über dich weiß, darf ich verwenden. Meine Antworten tragen dieses Zeichen, bis "
        "du /private noch einmal schickst oder /new."
    ),
    private_off="Das private Gespräch ist zu Ende, und ich habe nichts davon behalten.",
    private_over=(
        "Das private Gespräch ist zu Ende, weil es so lange still war, und ich habe nichts davon "
        "behalten. Was du als Nächstes schreibst, ist nicht mehr privat; /private beginnt ein "
        "neues."
    ),
    private_refused=(
        "🔒 Dieses Gespräch ist privat, darum behalte ich nichts, auch nicht auf Wunsch. Zum "
        "Beenden: /private"
    ),
    stopped="Abgebrochen.",
    nothing_to_stop="Es gibt nichts abzubrechen.",
    summary_title="Worüber wir bisher gesprochen haben:",
    summary_nothing="Noch gibt es nichts zusammenzufassen: Wir haben gerade erst angefangen.",
    summary_last="Das letzte Gespräch ist gespeichert:",
    summary_last_group="Das letzte Gespräch ist gespeichert: /memory zeigt Admins, worum es ging.",
    memory_off="Mein Langzeitgedächtnis ist ausgeschaltet, darum kann dieser Befehl nichts tun.",
    memory_unavailable=(
        "Ich komme gerade nicht an mein Gedächtnis. Bitte versuche es in einer Minute noch einmal."
    ),
    memory_empty="Noch weiß ich nichts über dich.",
    memory_empty_group="Noch weiß ich nichts über diese Gruppe.",
    memory_adds="Was jetzt gesagt wird, kommt dazu, wenn unser Gespräch endet: /new",
    memory_adds_nothing="Dieses Gespräch ist privat: Davon kommt nichts dazu.",
    memory_title="Was ich über dich weiß",
    memory_title_group="Was ich über diese Gruppe weiß",
    memory_name="Du nennst mich {name}",
    memory_facts="Fakten",
    memory_preferences="Vorlieben",
    memory_summaries="Gespräche",
    memory_footer="Eine Erinnerung löschen: /forget und ihre Kennung. Alles löschen: /forget all",
    memory_more=_counted("… und {count} älterer Eintrag", "… und {count} ältere Einträge"),
    memory_none="Hier ist nichts.",
    memory_noted="Notiert am {date}.",
    memory_dated="Wann: {date}.",
    memory_from="Woher ich das weiß:",
    memory_from_nowhere="Die Nachricht, aus der ich das weiß, ist nicht mehr gespeichert.",
    memory_said_me="Ich",
    memory_said_you="Du",
    memory_quoted="„{text}“",
    memory_delete_ask="Soll ich das löschen?\n\n{text}",
    memory_delete_along="Damit wird auch gelöscht:",
    memory_delete_messages=_counted(
        "{count} Nachricht, in der das vorkommt", "{count} Nachrichten, in denen das vorkommt"
    ),
    memory_delete_summaries=_counted(
        "{count} Zusammenfassung eines Gesprächs", "{count} Zusammenfassungen von Gesprächen"
    ),
    memory_deleted="Gelöscht: {text}",
    memory_brought_back="Wieder da: {text}",
    memory_undo_late="Das lässt sich jetzt nicht mehr rückgängig machen.",
    memory_gone="Diese Erinnerung gibt es nicht mehr.",
    buttons_stale="Diese Knöpfe gelten nicht mehr. Bitte schick noch einmal /{command}.",
    button_back="‹ Zurück",
    button_edit="Ändern",
    button_delete="Löschen",
    button_delete_yes="Ja, löschen",
    button_delete_no="Nein, behalten",
    button_from="Woher?",
    button_undo="Rückgängig",
    edit_how=(
        "Um das anders zu formulieren, schick mir\n/edit {id} und die neuen Worte.\n\n"
        "Jetzt steht da: {text}"
    ),
    edit_ask=(
        "Schick mir die neuen Worte dafür. Mit /edit {id} und den neuen Worten geht es "
        "jederzeit.\n\nJetzt steht da: {text}"
    ),
    edit_unchanged="Es bleibt, wie es war: {text}",
    edit_usage=(
        "Nenne mir die Erinnerung und die neuen Worte, zum Beispiel: /edit f1 Ich wohne in Oslo"
    ),
    search_how="Sag mir, wonach ich suchen soll: /search und ein paar Wörter.",
    search_ask="Wonach soll ich suchen? Schick mir ein paar Wörter.",
    search_found="Was ich gefunden habe",
    search_nothing="Dazu habe ich nichts gefunden.",
    remember_how="Sag mir, was ich mir merken soll: /remember und ein Satz über dich.",
    remember_ask=(
        "Was soll ich mir merken? Schick mir einen Satz über dich oder irgendeinen Befehl, wenn du "
        "es dir anders überlegst."
    ),
    remembered="Gemerkt: {text}  [{id}]",
    remember_refused="Das kann ich nicht behalten: {reason}.",
    forget_how=(
        "Sag mir, was ich vergessen soll: /forget und die Kennung einer Erinnerung, zum Beispiel "
        "/forget {example}, oder /forget all. /memory zeigt die Kennungen."
    ),
    forget_which=(
        "Ich vergesse einzelne Erinnerungen nach ihrer Kennung oder alles: /forget all. Um "
        "Erinnerungen zu einem Thema zu finden: /search und ein paar Wörter, dann /forget und ihre "
        "Kennungen."
    ),
    no_such_memory="Eine Erinnerung mit der Kennung {id} habe ich nicht. /memory zeigt alle.",
    forget_all_ask=(
        "Soll ich alles löschen, was ich über dich weiß, auch unsere Gespräche? Das lässt sich "
        "nicht rückgängig machen."
    ),
    forget_all_ask_group=(
        "Soll ich alles löschen, was ich über diese Gruppe weiß, auch unsere Gespräche hier? Das "
        "lässt sich nicht rückgängig machen."
    ),
    forget_all_yes="Ja, alles löschen",
    forget_all_no="Nein, behalten",
    yes_words="ja, j, jawohl, ja bitte, ja gerne, alles löschen",
    no_words="nein, n, nee, nein danke, abbrechen",
    forget_all_done="Alles ist gelöscht. Wir fangen von vorn an.",
    forget_all_kept="Gut, ich behalte alles.",
    button_not_yours="Das kann nur beantworten, wer gefragt hat.",
    button_stale="Diese Frage gilt nicht mehr. Bitte schick noch einmal /forget all.",
    name_default="Ich heiße {name}. Um mich anders zu nennen: /name und der neue Name.",
    name_current="Zurzeit heiße ich {name}. Um das zu ändern: /name und der neue Name.",
    name_set="Ab jetzt heiße ich {name}.",
    name_refused="Diesen Namen kann ich nicht annehmen: {reason}.",
    language_current="Die Sprache ist {name}. Zum Ändern: /language und eine von {examples}.",
    language_set="Die Sprache ist jetzt {name}.",
    language_only_told="Das Modell erfährt es; meine eigenen Sätze wie dieser bleiben auf Deutsch.",
    language_unknown="Die Sprache {given} kenne ich nicht. Ich kenne: {examples}.",
    time_zone_current=(
        "Die Zeitzone ist {name}; dort ist es {time}. Zum Ändern: /timezone und ihr Name, zum "
        "Beispiel /timezone Europe/Berlin, /timezone America/New_York oder /timezone UTC."
    ),
    time_zone_set="Die Zeitzone ist jetzt {name}; dort ist es {time}.",
    time_zone_unknown=(
        "Die Zeitzone {given} kenne ich nicht. Nenne mir eine wie Europe/Berlin, Asia/Kolkata, "
        "America/New_York oder UTC."
    ),
    settings_title="Deine Einstellungen",
    settings_title_group="Die Einstellungen dieser Gruppe",
    settings_language="Sprache",
    settings_language_ask="In welcher Sprache soll ich schreiben? Das Modell erfährt es auch.",
    settings_language_telegram="Wie in Telegram",
    settings_zone="Zeitzone",
    settings_zone_ask=(
        "Welche Zeitzone? Für jeden anderen Ort schick /timezone und den Namen, zum Beispiel "
        "/timezone Europe/Berlin."
    ),
    settings_zone_now="{name}, dort ist es {time}",
    settings_zone_default="Wie dieser Bot",
    settings_africa="Afrika",
    settings_america="Amerika",
    settings_asia="Asien",
    settings_europe="Europa",
    settings_oceania="Australien und Ozeanien",
    settings_length="Antwortlänge",
    settings_length_ask="Wie lang sollen meine Antworten sein?",
    settings_length_short="kurz",
    settings_length_normal="normal",
    settings_length_long="ausführlich",
    settings_streaming="Beim Schreiben",
    settings_streaming_ask="Wie soll eine Antwort aussehen, während ich sie schreibe?",
    settings_streaming_edit="als wachsende Nachricht",
    settings_streaming_draft="als Entwurf beim Tippen",
    settings_streaming_off="erst wenn sie fertig ist",
    usage_title="Was ich für dich verbraucht habe",
    usage_title_group="Was ich für diese Gruppe verbraucht habe",
    usage_session="Dieses Gespräch",
    usage_today="Heute, seit Mitternacht UTC",
    usage_account=(
        "• Antworten: {turns}\n• gelesene Tokens: {read}, davon {cached} aus dem Cache\n"
        "• geschriebene Tokens: {written}\n• Kosten: {cost}"
    ),
    usage_recordings="• Aufnahmen: {length} min",
    usage_nothing="• noch nichts",
    usage_cost="${amount}",
    usage_cost_partly=_counted(
        "${amount}, und {count} Anfrage zu einem Preis, den ich nicht kenne",
        "${amount}, und {count} Anfragen zu einem Preis, den ich nicht kenne",
    ),
    usage_cost_unknown="den Preis meiner Modelle kenne ich nicht",
    usage_free="nichts, denn ich arbeite ohne Sprachmodell",
    usage_footer=(
        "Das Speichern der Gespräche ist enthalten. Die Kosten sind nach öffentlichen Preisen "
        "geschätzt."
    ),
    export_caption="Alles, was ich über dich aufbewahre.",
    export_caption_group="Alles, was ich über diese Gruppe aufbewahre.",
    export_too_big="Die Datei {name} kann ich dir nicht schicken: Sie ist zu groß für Telegram.",
    admins_only=(
        "Das können nur Admins dieser Gruppe, denn es betrifft, was alle hier gesagt haben."
    ),
    admins_only_settings=(
        "Die Einstellungen dieser Gruppe können nur ihre Admins ändern, denn sie gelten für alle "
        "hier."
    ),
    group_not_welcome=(
        "Danke für die Einladung! Ich darf nur in Gruppen bleiben, in die mich jemand geholt hat, "
        "der mich benutzen darf, darum gehe ich wieder."
    ),
    group_hello="Hallo! Ich bin {name}.",
    group_how="Fragt mich mit /ask, erwähnt mich oder antwortet auf eine meiner Nachrichten.",
    group_keeps=(
        "Was ihr mir hier erzählt, merke ich mir nur für diese Gruppe, nicht für private Chats."
    ),
    group_help="Diese Befehle gibt es:\n{commands}",
    group_privacy=(
        "Telegram verbirgt andere Nachrichten vor mir (Privatsphäre-Modus), manchmal auch "
        "Erwähnungen: /ask erreicht mich immer."
    ),
    only_text="Bisher kann ich nur Text lesen. Bitte schreib es mir.",
    sees_nothing=(
        "So, wie ich eingerichtet bin, kann ich keine Bilder ansehen. Bitte sag mir in "
        "Worten, worauf es ankommt."
    ),
    reads_no_documents=(
        "So, wie ich eingerichtet bin, kann ich solche Dokumente nicht lesen. Bitte schick "
        "mir den Text oder das Wichtige daraus als Nachricht."
    ),
    unknown_file=(
        "Mit dieser Art von Datei kann ich nichts anfangen. Bitte sag mir in Worten, worauf es "
        "ankommt."
    ),
    unreadable_file=(
        "Die Datei {name} kann ich nicht lesen: Sie ist beschädigt oder von einer Art, die ich "
        "nicht kenne."
    ),
    too_big_file=(
        "Die Datei ist mir zu groß: Bei dieser Art gehen höchstens {largest} MB. Bitte schick mir "
        "eine kleinere oder den Teil, auf den es ankommt."
    ),
    lost_file="Ich konnte deine Datei nicht von Telegram holen. Bitte schick sie noch einmal.",
    hears_nothing="Aufnahmen kann ich nicht anhören. Bitte schreib mir, was du gesagt hast.",
    too_long_recording=_counted(
        "Die Aufnahme ist mir zu lang: {count} Minute kann ich anhören. Bitte schick sie in "
        "kürzeren Stücken.",
        "Die Aufnahme ist mir zu lang: {count} Minuten kann ich anhören. Bitte schick sie in "
        "kürzeren Stücken.",
    ),
    unheard_recording=(
        "Ich konnte deine Aufnahme nicht anhören. Bitte schick sie noch einmal oder schreib mir, "
        "was du gesagt hast."
    ),
    wordless_recording=(
        "In deiner Aufnahme habe ich keine Wörter verstanden. Bitte sag es noch einmal."
    ),
    ask_how=(
        "Schreib deine Frage hinter /ask. Oder antworte mit /ask auf eine Nachricht, dann sehe ich "
        "mir diese an."
    ),
    empty="In deiner Nachricht war kein Text. Bitte schreib mir, was du sagen möchtest.",
    too_long=_counted(
        "Das ist mir zu lang: {count} Zeichen, und ich kann {longest} aufnehmen. Bitte schick es "
        "in kleineren Stücken.",
        "Das ist mir zu lang: {count} Zeichen, und ich kann {longest} aufnehmen. Bitte schick es "
        "in kleineren Stücken.",
    ),
    refused=(
        "Das ist ein privater Bot. Wenn du Zugang haben sollst, gib dem Besitzer deine "
        "Telegram-ID: {id}"
    ),
    refused_unpaired=(
        "Das ist ein privater Bot, der noch niemandem gehört. Wenn er dir gehört, schick mir den "
        "Kopplungscode aus seinem Log."
    ),
    refused_anonymous=(
        "Ich sehe nicht, wer im Namen der Gruppe schreibt, und antworte nur Leuten, die ich "
        "kenne. Bitte schreib mir unter deinem eigenen Namen."
    ),
    not_the_code=(
        "Das ist nicht der Code. Er steht im Log des laufenden Bots, in der Zeile mit „pairing“; "
        "bei jedem Start des Bots gibt es einen neuen."
    ),
    no_more_codes=(
        "Ich habe zu viele falsche Codes bekommen: Von dir sehe ich mir keine mehr an, "
        "bis ich neu gestartet werde. Dann steht ein neuer im Log."
    ),
    refused_code=(
        "Das ist ein privater Bot. Um hereinzukommen, gib dem Besitzer diesen Code: {code}\n"
        "Sobald er mir /approve {code} schickt, kannst du mir schreiben."
    ),
    wants_in="{name} (ID {id}) möchte mich benutzen. Zum Hereinlassen: /approve {code}",
    limit_minute=_counted(
        "Das ist mehr, als ich auf einmal aufnehmen kann. Bitte warte {count} Sekunde und schreib "
        "dann wieder.",
        "Das ist mehr, als ich auf einmal aufnehmen kann. Bitte warte {count} Sekunden und schreib "
        "dann wieder.",
    ),
    limit_day=(
        "Das Tageslimit ist erreicht. Ab Mitternacht UTC antworte ich wieder; was ich mir gemerkt "
        "habe, bleibt."
    ),
    approved="{name} (ID {id}) darf mich jetzt benutzen.",
    approved_untold=(
        "{name} (ID {id}) darf mich jetzt benutzen. Mitteilen konnte ich das nicht, denn ich kann "
        "niemandem schreiben, der mir nie geschrieben hat: Bitte sag du Bescheid."
    ),
    in_already="{name} (ID {id}) darf mich schon benutzen.",
    approved_you="Willkommen: Der Besitzer hat dich hereingelassen. /help zeigt, was ich kann.",
    approve_how=(
        "Sag mir, wen ich hereinlassen soll: /approve und der Code, den ich vergeben habe, oder "
        "die Telegram-ID."
    ),
    approve_ids_only=(
        "Ich lasse Leute mit ihrem Code oder ihrer Telegram-ID herein, etwa /approve 1001. Einen "
        "Benutzernamen kann jemand aufgeben, und jemand anderes kann ihn nehmen."
    ),
    approve_listed=(
        "Hier sagen allein die Einstellungen, wer mich benutzen darf (access = allowlist). Trag "
        "die Telegram-ID in allowed_users ein und starte mich neu."
    ),
    no_such_code=(
        "Den Code {code} habe ich niemandem gegeben, oder er ist abgelaufen. /users zeigt, wer "
        "wartet."
    ),
    users_title="Wer mich benutzen darf",
    users_owners="Besitzer",
    users_guests="Zugelassen",
    users_waiting="Warten auf deine Zustimmung",
    users_listed="In den Einstellungen genannt",
    users_everybody="Alle dürfen mich benutzen: Der Zugang ist offen.",
    users_footer="Um jemandem den Zugang zu entziehen: /users remove und die Telegram-ID.",
    user_removed="{name} (ID {id}) darf mich nicht mehr benutzen.",
    no_such_user=(
        "Unter denen, die ich entfernen kann, hat niemand die ID {id}. /users zeigt alle."
    ),
    stats=(
        "• Leute heute: {people}\n• Antworten heute: {turns}\n• Tokens heute: {tokens}\n"
        "• Aufnahmen heute: {recordings} min\n• Kosten heute: {today}\n"
        "• Kosten in diesem Monat: {month}\n"
        "• Fehler seit {since} UTC: {errors}\n"
        "• Gespräche, die noch zu speichern sind: {backlog}, davon zurückgestellt: {set_aside}"
    ),
    paired="Willkommen! Dieser Bot gehört jetzt dir. /help zeigt, was ich kann.",
    stale=(
        "Entschuldige, ich war eine Weile weg und habe auf deine früheren Nachrichten nicht "
        "geantwortet. Wenn es noch wichtig ist, schreib mir bitte noch einmal."
    ),
    no_answer="Darauf habe ich keine Antwort. Bitte sag es noch einmal anders.",
    refusals={
        Refusal.EMPTY: "darin ist nichts, was ich mir merken könnte",
        Refusal.LONG: "es ist zu lang; sag in ein oder zwei Sätzen, worauf es ankommt",
        Refusal.ORDER: (
            "es liest sich wie eine Anweisung zu meinen eigenen Regeln, und eine Erinnerung sagt "
            "etwas über einen Menschen oder darüber, wie man mit ihm reden soll"
        ),
        Refusal.QUESTION: "es ist eine Frage und sagt nichts aus; frag mich ohne /remember",
        Refusal.SETTING: "das ist eine Einstellung: /settings",
        Refusal.OFF: "mein Langzeitgedächtnis ist ausgeschaltet",
        Refusal.NAME_LINES: "ein Name muss in einer Zeile stehen",
        Refusal.NAME_EMPTY: "ein Name braucht mindestens einen Buchstaben oder eine Ziffer",
        Refusal.NAME_LONG: "er ist zu lang",
        Refusal.NAME_CHARACTERS: (
            "ein Name darf keine Steuerzeichen und keine spitzen Klammern haben"
        ),
        Refusal.OTHER: "das geht hier nicht",
    },
    failures={
        "unreachable": _LATER,
        "server_error": _LATER,
        "bad_credentials": _SET_UP,
        "unknown_model": _SET_UP,
        "quota": _SET_UP,
        "configuration": _SET_UP,
        "throttled": (
            "Ich bekomme mehr Nachrichten, als mein Sprachmodell bewältigt. Bitte versuche es in "
            "einer Minute noch einmal."
        ),
        "context_overflow": (
            "Das ist mehr, als ich auf einmal lesen kann. Bitte schick weniger Text oder fang mit "
            "/new neu an."
        ),
        "rejected": (
            "Mein Sprachmodell konnte mit dieser Nachricht nichts anfangen. Bitte sag es anders."
        ),
        "attachment_refused": (
            "Mein Sprachmodell kann mit deinem Anhang nichts anfangen. Bitte sag mir in Worten, "
            "worauf es ankommt."
        ),
        "timeout": (
            "Das hat zu lange gedauert, und ich habe aufgegeben. Bitte versuche es noch einmal, "
            "vielleicht mit einer einfacheren Frage."
        ),
        "cut": (
            "Die Verbindung ist abgebrochen, während ich geantwortet habe. Bitte schick deine "
            "Nachricht noch einmal."
        ),
        "content_filter": "Darauf kann ich nicht antworten. Bitte frag mich etwas anderes.",
        "no_answer": "Mir ist keine Antwort eingefallen. Bitte sag es noch einmal anders.",
        "output_limit": "Meine Antwort wurde zu lang. Bitte frag nach einem kleineren Teil davon.",
        "endless_tools": (
            "Ich habe mich im Kreis gedreht und aufgegeben. Bitte sag es noch einmal anders."
        ),
    },
    error_number="(Fehler {id})",
    failed="Bei mir ist etwas schiefgegangen. Bitte versuche es noch einmal. (Fehler {id})",
)
