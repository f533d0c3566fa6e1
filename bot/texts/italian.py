"""Italian, as friends speak it: "tu"."""

from bot.texts.plurals import Counted, one_many_other
from bot.texts.texts import Texts
from memory.errors import Refusal

_SAVED = "✨ Ho riassunto la nostra conversazione e salvato le cose importanti."
_LATER = "Ora non raggiungo il mio modello linguistico. Riprova fra qualche minuto, per favore."
_SET_UP = (
    "Il mio modello linguistico si rifiuta di lavorare, e solo il mio gestore può rimediare. "
    "Riprova più tardi, per favore."
)


def _counted(pattern: str, one: str, other: str) -> Counted:
    """A text with one noun in it that changes with the number; the rest stays."""
    return Counted.of(
        one_many_other,
        pattern,
        {
            "one": f"{{count}} {one}",
            "many": f"{{count}} di {other}",
            "other": f"{{count}} {other}",
        },
    )


ITALIAN = Texts(
    commands={
        "new": "Iniziare una nuova conversazione; questa viene salvata",
        "private": "Parlare senza che io conservi nulla; di nuovo per finire",
        "summarize": "Di che cosa abbiamo parlato finora",
        "memory": "Che cosa ricordo di te",
        "search": "Cercare qualcosa nella mia memoria",
        "remember": "Ricordare subito una frase",
        "edit": "Riformulare un ricordo",
        "forget": "Cancellare un ricordo con il suo id o tutti",
        "name": "Come mi chiami: vederlo o cambiarlo",
        "settings": "Lingua, fuso orario, lunghezza e aspetto delle risposte",
        "language": "La tua lingua: vederla o cambiarla",
        "timezone": "Il tuo fuso orario: vederlo o cambiarlo",
        "export": "Tutto quello che conservo di te, in file",
        "usage": "Consumo e costo: questa conversazione e oggi",
        "ask": "Chiedermi qualcosa; per i gruppi",
        "stop": "Fermare la risposta in corso",
        "help": "Che cosa so fare",
        "start": "Chi sono",
    },
    group_commands={
        "ask": "Chiedermi qualcosa",
        "memory": "Che cosa ricordo di questo gruppo; per gli amministratori",
        "search": "Cercare nella mia memoria; per gli amministratori",
        "forget": "Cancellare un ricordo o tutti; per gli amministratori",
        "name": "Come mi chiamo qui: vederlo o cambiarlo",
        "settings": "Lingua, fuso orario, risposte; per gli amministratori",
    },
    owner_commands={
        "approve": "Far entrare qualcuno con codice o id",
        "users": "Chi può usarmi e chi aspetta",
        "stats": "Come va: persone, risposte, errori, costi",
    },
    start="Ciao! Sono {name}. Scrivimi come scriveresti a una persona.",
    start_keeps=(
        "Ricordo quello che mi racconti di te e che cosa preferisci, anche nelle conversazioni "
        "future. /memory mostra che cosa ho conservato, /forget lo cancella, /export ti dà tutto."
    ),
    start_forgets=(
        "La mia memoria a lungo termine è disattivata: conosco solo i nostri ultimi messaggi."
    ),
    engine_none=(
        "Funziono senza modello linguistico: capisco quello che mi racconti di te, i nomi che mi "
        "dai e le domande su ciò che so, soprattutto in inglese, in russo e in tedesco."
    ),
    engine="Le mie risposte le scrive {model}.",
    engine_instead="Quando non è raggiungibile, uso {models}.",
    help="Puoi semplicemente scrivermi. Ecco i comandi:\n{commands}",
    unknown_command="Non conosco /{given}. /help mostra che cosa so fare.",
    unknown_command_near=(
        "Non conosco /{given}. Volevi dire /{near}? /help mostra tutto quello che so fare."
    ),
    new="Inizia una nuova conversazione.",
    greeting_topics="L'ultima volta abbiamo parlato di {topics}.",
    new_saved=f"{_SAVED}\nInizia una nuova conversazione.",
    new_later="Inizia una nuova conversazione. Sto ancora salvando l'ultima.",
    saved=_SAVED,
    saved_full=_counted(
        "Ci siamo scambiati {counted}, quindi inizia una nuova conversazione.",
        "messaggio",
        "messaggi",
    ),
    saved_idle="Non ci scriviamo da un po', quindi inizia una nuova conversazione.",
    private_on=(
        "🔒 Questa conversazione è privata. Non ne conservo nulla: quando finisce, sparisce. Posso "
        "usare quello che so già di te. Le mie risposte portano questo segno finché non mandi "
        "ancora /private, oppure /new."
    ),
    private_off="La conversazione privata è finita e non ne ho conservato nulla.",
    private_over=(
        "La conversazione privata è finita perché non ci scriviamo da un po', e non ne ho "
        "conservato nulla. Quello che scrivi adesso non è più privato; /private ne inizia un'altra."
    ),
    private_refused=(
        "🔒 Questa conversazione è privata, quindi non conservo nulla, nemmeno su richiesta. Per "
        "terminarla: /private"
    ),
    stopped="Interrotto.",
    nothing_to_stop="Non c'è nulla da interrompere.",
    summary_title="Di che cosa abbiamo parlato finora:",
    summary_nothing="Non c'è ancora nulla da riassumere: abbiamo appena iniziato.",
    summary_last="L'ultima conversazione è salvata:",
    summary_last_group=(
        "L'ultima conversazione è salvata: /memory mostra agli amministratori di che cosa si è "
        "parlato."
    ),
    memory_off=(
        "La mia memoria a lungo termine è disattivata, quindi questo comando non può fare nulla."
    ),
    memory_unavailable="Ora non raggiungo la mia memoria. Riprova fra un minuto, per favore.",
    memory_empty="Non ricordo ancora nulla di te.",
    memory_empty_group="Non ricordo ancora nulla di questo gruppo.",
    memory_adds=(
        "Quello che viene detto ora si aggiunge quando la nostra conversazione finisce: /new"
    ),
    memory_adds_nothing="Questa conversazione è privata: non se ne aggiunge nulla.",
    memory_title="Che cosa ricordo di te",
    memory_title_group="Che cosa ricordo di questo gruppo",
    memory_name="Mi chiami {name}",
    memory_facts="Fatti",
    memory_preferences="Preferenze",
    memory_summaries="Conversazioni",
    memory_footer="Per cancellarne uno: /forget e il suo id. Per cancellare tutto: /forget all",
    memory_more=_counted("… e {counted}", "ricordo precedente", "ricordi precedenti"),
    memory_none="Qui non c'è nulla.",
    memory_noted="Annotato il {date}.",
    memory_dated="Quando: {date}.",
    memory_from="Come lo so:",
    memory_from_nowhere="Il messaggio da cui lo so non è più conservato.",
    memory_said_me="Io",
    memory_said_you="Tu",
    memory_quoted="«{text}»",
    memory_delete_ask="Cancello questo?\n\n{text}",
    memory_delete_along="Viene cancellato anche:",
    memory_delete_messages=_counted(
        "{counted}", "messaggio in cui se ne parla", "messaggi in cui se ne parla"
    ),
    memory_delete_summaries=_counted(
        "{counted}", "riassunto di una conversazione", "riassunti di conversazioni"
    ),
    memory_deleted="Cancellato: {text}",
    memory_brought_back="Ripristinato: {text}",
    memory_undo_late="È troppo tardi per annullare.",
    memory_gone="Questo ricordo non c'è più.",
    buttons_stale="Questi pulsanti sono scaduti. Manda di nuovo /{command}, per favore.",
    button_back="‹ Indietro",
    button_edit="Modifica",
    button_delete="Cancella",
    button_delete_yes="Sì, cancella",
    button_delete_no="No, conserva",
    button_from="Da dove?",
    button_undo="Annulla",
    edit_how=(
        "Per dirlo con altre parole, mandami\n/edit {id} e le nuove parole.\n\nOra dice: {text}"
    ),
    edit_ask=(
        "Mandami le nuove parole. (In ogni momento: /edit {id} e le nuove parole.)\n\n"
        "Ora dice: {text}"
    ),
    edit_unchanged="Resta com'era: {text}",
    edit_usage="Dimmi quale ricordo e con quali nuove parole, per esempio: /edit f1 Abito a Oslo",
    search_how="Dimmi che cosa cercare: /search e qualche parola.",
    search_ask="Che cosa cerco? Mandami qualche parola.",
    search_found="Che cosa ho trovato",
    search_nothing="Non ho trovato nulla al riguardo.",
    remember_how="Dimmi che cosa ricordare: /remember e una frase su di te.",
    remember_ask=(
        "Che cosa devo ricordare? Mandami una frase su di te, o un comando qualsiasi per lasciar "
        "perdere."
    ),
    remembered="Memorizzato: {text}  [{id}]",
    remember_refused="Non posso conservarlo: {reason}.",
    forget_how=(
        "Dimmi che cosa dimenticare: /forget e l'id di un ricordo, per esempio /forget {example}, "
        "oppure /forget all. /memory mostra gli id."
    ),
    forget_which=(
        "Dimentico singoli ricordi in base al loro id oppure tutto: /forget all. Per trovare i "
        "ricordi su un argomento: /search e qualche parola, poi /forget e i loro id."
    ),
    no_such_memory="Non ho nessun ricordo con l'id {id}. /memory mostra quelli che ci sono.",
    forget_all_ask=(
        "Cancello tutto quello che so di te, comprese le nostre conversazioni? Non si può "
        "annullare."
    ),
    forget_all_ask_group=(
        "Cancello tutto quello che so di questo gruppo, comprese le nostre conversazioni qui? Non "
        "si può annullare."
    ),
    forget_all_yes="Sì, cancella tutto",
    forget_all_no="No, conserva",
    yes_words="sì, si, s, sì grazie, si grazie, cancella tutto",
    no_words="no, n, no grazie, annulla",
    forget_all_done="Ho cancellato tutto. Ricominciamo da capo.",
    forget_all_kept="Va bene, conservo tutto.",
    button_not_yours="Può rispondere solo chi ha fatto la domanda.",
    button_stale="Questa domanda è scaduta. Manda di nuovo /forget all, per favore.",
    name_default="Mi chiamo {name}. Per chiamarmi in altro modo: /name e il nuovo nome.",
    name_current="Adesso mi chiamo {name}. Per cambiarlo: /name e il nuovo nome.",
    name_set="Da adesso mi chiamo {name}.",
    name_refused="Non posso accettare quel nome: {reason}.",
    language_current="Lingua: {name}. Per cambiarla: /language e una fra {examples}.",
    language_set="Ora la lingua è: {name}.",
    language_only_told="Lo saprà il modello; le mie frasi, come questa, restano in italiano.",
    language_unknown="Non conosco la lingua {given}. Conosco queste: {examples}.",
    time_zone_current=(
        "Fuso orario: {name}, ora locale {time}. Per cambiarlo: /timezone e il suo nome, "
        "come /timezone Europe/Rome, /timezone America/New_York o /timezone UTC."
    ),
    time_zone_set="Ora il fuso orario è {name}, ora locale {time}.",
    time_zone_unknown=(
        "Non conosco il fuso orario {given}. Dammi un nome come Europe/Rome, Asia/Kolkata, "
        "America/New_York o UTC."
    ),
    settings_title="Le tue impostazioni",
    settings_title_group="Le impostazioni di questo gruppo",
    settings_language="Lingua",
    settings_language_ask="In che lingua devo scrivere? Lo saprà anche il modello.",
    settings_language_telegram="Come in Telegram",
    settings_zone="Fuso orario",
    settings_zone_ask=(
        "Quale fuso orario? Per qualunque altro luogo manda /timezone e il nome, per esempio "
        "/timezone Europe/Rome."
    ),
    settings_zone_now="{name}, ora locale {time}",
    settings_zone_default="Come questo bot",
    settings_africa="Africa",
    settings_america="America",
    settings_asia="Asia",
    settings_europe="Europa",
    settings_oceania="Australia e Oceania",
    settings_length="Lunghezza risposte",
    settings_length_ask="Quanto devono essere lunghe le mie risposte?",
    settings_length_short="brevi",
    settings_length_normal="normali",
    settings_length_long="dettagliate",
    settings_streaming="Mentre scrivo",
    settings_streaming_ask="Come deve apparire una risposta mentre la scrivo?",
    settings_streaming_edit="un messaggio che cresce",
    settings_streaming_draft="una bozza, come se digitassi",
    settings_streaming_off="solo quando è pronta",
    usage_title="Quanto ho consumato per te",
    usage_title_group="Quanto ho consumato per questo gruppo",
    usage_session="Questa conversazione",
    usage_today="Oggi, dalla mezzanotte UTC",
    usage_account=(
        "• risposte: {turns}\n• token letti: {read}, di cui {cached} dalla cache\n"
        "• token scritti: {written}\n• costo: {cost}"
    ),
    usage_recordings="• registrazioni: {length} min",
    usage_nothing="• ancora nulla",
    usage_cost="${amount}",
    usage_cost_partly=_counted(
        "${amount}, e {counted} a un prezzo che non conosco", "richiesta", "richieste"
    ),
    usage_cost_unknown="non conosco il prezzo dei miei modelli",
    usage_free="nulla, perché funziono senza modello linguistico",
    usage_footer=(
        "Comprende il salvataggio delle conversazioni. I costi sono stime basate sui prezzi "
        "pubblici."
    ),
    export_caption="Tutto quello che conservo su di te.",
    export_caption_group="Tutto quello che conservo di questo gruppo.",
    export_too_big="Non posso mandarti {name}: è troppo grande per un file su Telegram.",
    admins_only=(
        "Possono farlo solo gli amministratori del gruppo, perché riguarda ciò che tutti hanno "
        "detto qui."
    ),
    admins_only_settings=(
        "Solo gli amministratori del gruppo possono cambiarne le impostazioni, perché valgono "
        "per tutti."
    ),
    group_not_welcome=(
        "Grazie dell'invito! Posso restare solo nei gruppi in cui mi ha aggiunto chi può usarmi, "
        "quindi me ne vado."
    ),
    group_hello="Ciao! Sono {name}.",
    group_how="Scrivetemi con /ask, menzionatemi o rispondete a un mio messaggio.",
    group_keeps=(
        "Quello che mi raccontate qui lo ricordo solo per questo gruppo, non per le chat private."
    ),
    group_help="Ecco i comandi:\n{commands}",
    group_privacy=(
        "Telegram mi nasconde gli altri messaggi (modalità privacy), a volte anche le menzioni: "
        "/ask mi arriva sempre."
    ),
    only_text="Per ora so leggere solo testo. Scrivimelo, per favore.",
    sees_nothing=(
        "Per come sono configurato non posso vedere immagini. Dimmi a parole che cosa conta, per "
        "favore."
    ),
    reads_no_documents=(
        "Per come sono configurato non posso leggere documenti così. Mandami il testo, o ciò "
        "che conta, in un messaggio, per favore."
    ),
    unknown_file=(
        "Con un file di questo tipo non so che fare. Dimmi a parole che cosa conta, per favore."
    ),
    unreadable_file=(
        "Non riesco a leggere il file {name}: è danneggiato o di un tipo che non conosco."
    ),
    too_big_file=(
        "Il file è troppo grande per me: di questo tipo accetto al massimo {largest} MB. Mandamene "
        "uno più piccolo o la parte che conta, per favore."
    ),
    lost_file=(
        "Non sono riuscito a scaricare il tuo file da Telegram. Mandalo di nuovo, per favore."
    ),
    hears_nothing="Non posso ascoltare registrazioni. Scrivimi che cosa hai detto, per favore.",
    too_long_recording=_counted(
        "Quella registrazione è troppo lunga: posso ascoltare {counted}. Mandala in parti più "
        "brevi, per favore.",
        "minuto",
        "minuti",
    ),
    unheard_recording=(
        "Non sono riuscito ad ascoltare la tua registrazione. Mandala di nuovo, o scrivimi che "
        "cosa hai detto, per favore."
    ),
    wordless_recording=(
        "Nella tua registrazione non ho capito nessuna parola. Dillo di nuovo, per favore."
    ),
    ask_how=(
        "Scrivi la tua domanda dopo /ask. Oppure rispondi a un messaggio con /ask, e guardo quello."
    ),
    empty="Nel tuo messaggio non c'era testo. Scrivimi che cosa vuoi dire, per favore.",
    too_long=_counted(
        "È troppo lungo per me: {counted}, e ne accetto {longest}. Mandalo in parti più piccole, "
        "per favore.",
        "carattere",
        "caratteri",
    ),
    refused=(
        "Questo è un bot privato. Se devi avere accesso, comunica al proprietario il tuo id "
        "numerico: {id}"
    ),
    refused_unpaired=(
        "Questo è un bot privato che non ha ancora un proprietario. Se è tuo, mandami il codice di "
        "abbinamento dal suo log."
    ),
    refused_anonymous=(
        "Non vedo chi scrive a nome del gruppo, e rispondo solo a chi conosco. Scrivimi con il "
        "tuo nome, per favore."
    ),
    not_the_code=(
        "Questo non è il codice. Si trova nel log del bot in funzione, nella riga che dice "
        "«pairing»; a ogni avvio il bot ne crea uno nuovo."
    ),
    no_more_codes=(
        "Ho ricevuto troppi codici sbagliati: non guardo più i tuoi finché non vengo "
        "riavviato. Allora nel log ce ne sarà uno nuovo."
    ),
    refused_code=(
        "Questo è un bot privato. Per entrare, comunica al proprietario questo codice: {code}\n"
        "Quando mi manda /approve {code}, puoi scrivermi."
    ),
    wants_in="{name} (id {id}) vorrebbe usarmi. Per dare l'accesso: /approve {code}",
    limit_minute=_counted(
        "È più di quanto riesca a seguire in una volta. Aspetta {counted} e scrivi di nuovo, per "
        "favore.",
        "secondo",
        "secondi",
    ),
    limit_day=(
        "Il limite di oggi è raggiunto. Dalla mezzanotte UTC rispondo di nuovo; ciò che ricordo "
        "resta."
    ),
    approved="{name} (id {id}) ora può usarmi.",
    approved_untold=(
        "{name} (id {id}) ora può usarmi. Non ho potuto avvisare, perché non posso scrivere a chi "
        "non mi ha mai scritto: fallo tu, per favore."
    ),
    in_already="{name} (id {id}) può già usarmi.",
    approved_you=(
        "Ti do il benvenuto: il proprietario ti ha fatto entrare. /help mostra che cosa so fare."
    ),
    approve_how="Dimmi chi far entrare: /approve e il codice che ho dato, o l'id numerico.",
    approve_ids_only=(
        "Faccio entrare le persone con il loro codice o con l'id numerico, come /approve 1001. A "
        "un nome utente si può rinunciare, e può prenderlo un'altra persona."
    ),
    approve_listed=(
        "Qui solo le impostazioni dicono chi può usarmi (access = allowlist). Aggiungi "
        "l'id numerico ad allowed_users e riavviami."
    ),
    no_such_code=(
        "Non ho dato a nessuno il codice {code}, oppure è scaduto. /users mostra chi aspetta."
    ),
    users_title="Chi può usarmi",
    users_owners="Proprietari",
    users_guests="Ammessi",
    users_waiting="In attesa della tua approvazione",
    users_listed="Nominati nella configurazione",
    users_everybody="Tutti possono usarmi: l'accesso è aperto.",
    users_footer="Per togliere l'accesso a qualcuno: /users remove e il suo id numerico.",
    user_removed="{name} (id {id}) non può più usarmi.",
    no_such_user="Fra chi posso rimuovere nessuno ha l'id {id}. /users mostra tutti.",
    stats=(
        "• persone oggi: {people}\n• risposte oggi: {turns}\n• token oggi: {tokens}\n"
        "• registrazioni oggi: {recordings} min\n• costo oggi: {today}\n"
        "• costo questo mese: {month}\n"
        "• errori dal {since} UTC: {errors}\n"
        "• conversazioni da salvare: {backlog}, di cui messe da parte: {set_aside}"
    ),
    paired="Ti do il benvenuto! Ora questo bot è tuo. /help mostra che cosa so fare.",
    stale=(
        "Scusa, sono stato via per un po' e non ho risposto ai tuoi messaggi precedenti. Se è "
        "ancora importante, scrivimi di nuovo, per favore."
    ),
    no_answer="Non ho una risposta a questo. Dillo in un altro modo, per favore.",
    refusals={
        Refusal.EMPTY: "non c'è nulla da ricordare",
        Refusal.LONG: "è troppo lungo; di' ciò che conta in una o due frasi",
        Refusal.ORDER: (
            "sembra un'istruzione sulle mie regole, mentre un ricordo dice qualcosa di una persona "
            "o di come parlarle"
        ),
        Refusal.QUESTION: "è una domanda e non afferma nulla; chiedimelo senza /remember",
        Refusal.SETTING: "quella è un'impostazione: /settings",
        Refusal.OFF: "la mia memoria a lungo termine è disattivata",
        Refusal.NAME_LINES: "un nome deve stare su una sola riga",
        Refusal.NAME_EMPTY: "un nome ha bisogno di almeno una lettera o una cifra",
        Refusal.NAME_LONG: "è troppo lungo",
        Refusal.NAME_CHARACTERS: (
            "un nome non può avere caratteri di controllo né parentesi angolari"
        ),
        Refusal.OTHER: "qui non si può",
    },
    failures={
        "unreachable": _LATER,
        "server_error": _LATER,
        "bad_credentials": _SET_UP,
        "unknown_model": _SET_UP,
        "quota": _SET_UP,
        "configuration": _SET_UP,
        "throttled": (
            "Ricevo più messaggi di quanti il mio modello linguistico riesca a seguire. Riprova "
            "fra un minuto, per favore."
        ),
        "context_overflow": (
            "È più di quanto possa leggere in una volta. Manda meno testo, o ricomincia con /new."
        ),
        "rejected": (
            "Il mio modello linguistico non ha capito quel messaggio. Dillo in un altro modo, per "
            "favore."
        ),
        "attachment_refused": (
            "Il mio modello linguistico non accetta il tuo allegato. Dimmi a parole che cosa "
            "conta, per favore."
        ),
        "timeout": (
            "Ci è voluto troppo tempo e ho rinunciato. Riprova, per favore, magari con una domanda "
            "più semplice."
        ),
        "cut": (
            "La connessione si è interrotta mentre rispondevo. Manda di nuovo il tuo messaggio, "
            "per favore."
        ),
        "content_filter": "A questo non posso rispondere. Chiedimi qualcos'altro, per favore.",
        "no_answer": "Non ho trovato una risposta. Dillo con altre parole, per favore.",
        "output_limit": (
            "La mia risposta è diventata troppo lunga. Chiedimene una parte più piccola, per "
            "favore."
        ),
        "endless_tools": "Ho girato a vuoto e ho rinunciato. Dillo con altre parole, per favore.",
    },
    error_number="(errore {id})",
    failed="Qualcosa è andato storto da parte mia. Riprova, per favore. (errore {id})",
)
