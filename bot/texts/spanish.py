"""Spanish, as friends speak it: "tú", and "ustedes" for several."""

from bot.texts.plurals import Counted, one_many_other
from bot.texts.texts import Texts
from memory.errors import Refusal

_SAVED = "✨ He resumido nuestra conversación y he guardado lo importante."
_LATER = (
    "Ahora no puedo acceder a mi modelo de lenguaje. Inténtalo de nuevo en unos minutos, por favor."
)
_SET_UP = (
    "Mi modelo de lenguaje se niega a trabajar, y solo mi operador puede arreglarlo. Inténtalo "
    "más tarde, por favor."
)


def _counted(pattern: str, one: str, other: str) -> Counted:
    """A text with one noun in it that changes with the number; the rest stays."""
    return Counted.of(
        one_many_other,
        pattern,
        {
            "one": f"{{count}} {one}",
            "many": f"{{count}} de {other}",
            "other": f"{{count}} {other}",
        },
    )


SPANISH = Texts(
    commands={
        "new": "Empezar otra conversación; esta se guarda",
        "private": "Hablar sin que guarde nada; otra vez para terminar",
        "summarize": "De qué hemos hablado hasta ahora",
        "memory": "Lo que recuerdo de ti",
        "search": "Buscar algo en mi memoria",
        "remember": "Guardar una frase enseguida",
        "edit": "Reformular un recuerdo",
        "forget": "Borrar un recuerdo por su id o todos",
        "name": "Cómo me llamas: verlo o cambiarlo",
        "settings": "Idioma, zona horaria, extensión y forma de respuestas",
        "language": "Tu idioma: verlo o cambiarlo",
        "timezone": "Tu zona horaria: verla o cambiarla",
        "export": "Todo lo que guardo de ti, en archivos",
        "usage": "Consumo y costo: esta conversación y hoy",
        "ask": "Preguntarme algo; para grupos",
        "stop": "Detener la respuesta en curso",
        "help": "Lo que sé hacer",
        "start": "Quién soy",
    },
    group_commands={
        "ask": "Preguntarme algo",
        "memory": "Lo que recuerdo de este grupo; para administradores",
        "search": "Buscar algo en mi memoria; para administradores",
        "forget": "Borrar un recuerdo o todos; para administradores",
        "name": "Cómo me llamo aquí: verlo o cambiarlo",
        "settings": "Idioma, zona horaria, respuestas; para administradores",
    },
    owner_commands={
        "approve": "Dejar entrar a alguien por su código o id",
        "users": "Quién puede usarme y quién espera",
        "stats": "Cómo voy: personas, respuestas, errores, costos",
    },
    start="¡Hola! Soy {name}. Escríbeme como a una persona.",
    start_keeps=(
        "Recuerdo lo que me cuentas de ti y lo que prefieres, también en otras conversaciones. "
        "/memory muestra lo que he guardado, /forget lo borra, /export te lo da todo."
    ),
    start_forgets=(
        "Mi memoria a largo plazo está desactivada: solo conozco nuestros últimos mensajes."
    ),
    engine_none=(
        "Funciono sin modelo de lenguaje: entiendo lo que me cuentas de ti, los nombres que me das "
        "y las preguntas sobre lo que sé, sobre todo en inglés, ruso y alemán."
    ),
    engine="Mis respuestas las escribe {model}.",
    engine_instead="Cuando no está disponible, uso {models}.",
    help="Puedes escribirme sin más. Estos son los comandos:\n{commands}",
    unknown_command="No conozco /{given}. /help muestra lo que sé hacer.",
    unknown_command_near=(
        "No conozco /{given}. ¿Querías decir /{near}? /help muestra todo lo que sé hacer."
    ),
    new="Empieza una conversación nueva.",
    greeting_topics="La última vez hablamos de {topics}.",
    new_saved=f"{_SAVED}\nEmpieza una conversación nueva.",
    new_later="Empieza una conversación nueva. Todavía estoy guardando la anterior.",
    saved=_SAVED,
    saved_full=_counted(
        "Hemos intercambiado {counted}, así que empieza una conversación nueva.",
        "mensaje",
        "mensajes",
    ),
    saved_idle="Hace un buen rato que no hablamos, así que empieza una conversación nueva.",
    private_on=(
        "🔒 Esta conversación es privada. No guardo nada de ella: cuando termina, desaparece. "
        "Puedo usar lo que ya sé de ti. Mis respuestas llevan esta señal hasta que envíes /private "
        "otra vez, o /new."
    ),
    private_off="La conversación privada ha terminado y no he guardado nada de ella.",
    private_over=(
        "La conversación privada ha terminado porque hace un buen rato que no hablamos, y no he "
        "guardado nada de ella. Lo que escribas ahora ya no es privado; /private empieza otra."
    ),
    private_refused=(
        "🔒 Esta conversación es privada, así que no guardo nada, ni aunque me lo pidas. Para "
        "terminarla: /private"
    ),
    stopped="Detenido.",
    nothing_to_stop="No hay nada que detener.",
    summary_title="De lo que hemos hablado hasta ahora:",
    summary_nothing="Todavía no hay nada que resumir: acabamos de empezar.",
    summary_last="La última conversación está guardada:",
    summary_last_group=(
        "La última conversación está guardada: /memory muestra a los administradores de qué trató."
    ),
    memory_off=(
        "Mi memoria a largo plazo está desactivada, así que este comando no puede hacer nada."
    ),
    memory_unavailable=(
        "Ahora no puedo acceder a mi memoria. Inténtalo de nuevo en un minuto, por favor."
    ),
    memory_empty="Todavía no recuerdo nada de ti.",
    memory_empty_group="Todavía no recuerdo nada de este grupo.",
    memory_adds="Lo que se diga ahora se añadirá cuando termine nuestra conversación: /new",
    memory_adds_nothing="Esta conversación es privada: no se añadirá nada de ella.",
    memory_title="Lo que recuerdo de ti",
    memory_title_group="Lo que recuerdo de este grupo",
    memory_name="Me llamas {name}",
    memory_facts="Datos",
    memory_preferences="Preferencias",
    memory_summaries="Conversaciones",
    memory_footer="Para borrar uno: /forget y su id. Para borrarlo todo: /forget all",
    memory_more=_counted("… y {counted}", "recuerdo anterior", "recuerdos anteriores"),
    memory_none="Aquí no hay nada.",
    memory_noted="Anotado el {date}.",
    memory_dated="Cuándo: {date}.",
    memory_from="De dónde lo sé:",
    memory_from_nowhere="El mensaje por el que lo sé ya no está guardado.",
    memory_said_me="Yo",
    memory_said_you="Tú",
    memory_quoted="«{text}»",
    memory_delete_ask="¿Borro esto?\n\n{text}",
    memory_delete_along="También se borrará:",
    memory_delete_messages=_counted(
        "{counted}", "mensaje en el que se menciona", "mensajes en los que se menciona"
    ),
    memory_delete_summaries=_counted(
        "{counted}", "resumen de una conversación", "resúmenes de conversaciones"
    ),
    memory_deleted="Borrado: {text}",
    memory_brought_back="Recuperado: {text}",
    memory_undo_late="Ya es tarde para deshacerlo.",
    memory_gone="Este recuerdo ya no está.",
    buttons_stale="Estos botones ya no son válidos. Envía otra vez /{command}, por favor.",
    button_back="‹ Atrás",
    button_edit="Editar",
    button_delete="Borrar",
    button_delete_yes="Sí, bórralo",
    button_delete_no="No, consérvalo",
    button_from="¿De dónde?",
    button_undo="Deshacer",
    edit_how=(
        "Para decirlo con otras palabras, envíame\n/edit {id} y las palabras nuevas.\n\n"
        "Ahora dice: {text}"
    ),
    edit_ask=(
        "Envíame las palabras nuevas. (En cualquier momento: /edit {id} y las palabras nuevas.)\n\n"
        "Ahora dice: {text}"
    ),
    edit_unchanged="Se queda como estaba: {text}",
    edit_usage="Dime qué recuerdo y sus palabras nuevas, por ejemplo: /edit f1 Vivo en Oslo",
    search_how="Dime qué buscar: /search y algunas palabras.",
    search_ask="¿Qué busco? Envíame algunas palabras.",
    search_found="Lo que he encontrado",
    search_nothing="No he encontrado nada sobre eso.",
    remember_how="Dime qué recordar: /remember y una frase sobre ti.",
    remember_ask=(
        "¿Qué debo recordar? Envíame una frase sobre ti, o cualquier comando si cambias de idea."
    ),
    remembered="Guardado: {text}  [{id}]",
    remember_refused="No puedo guardar eso: {reason}.",
    forget_how=(
        "Dime qué olvidar: /forget y el id de un recuerdo, por ejemplo /forget {example}, o "
        "/forget all. /memory muestra los id."
    ),
    forget_which=(
        "Olvido recuerdos sueltos por su id, o todo: /forget all. Para encontrar los recuerdos "
        "sobre un tema: /search y algunas palabras, y después /forget y sus id."
    ),
    no_such_memory="No tengo ningún recuerdo con el id {id}. /memory muestra lo que hay.",
    forget_all_ask=(
        "¿Borro todo lo que sé de ti, incluidas nuestras conversaciones? No se puede deshacer."
    ),
    forget_all_ask_group=(
        "¿Borro todo lo que sé de este grupo, incluidas nuestras conversaciones aquí? No se puede "
        "deshacer."
    ),
    forget_all_yes="Sí, bórralo todo",
    forget_all_no="No, consérvalo",
    yes_words="sí, si, s, sí por favor, si por favor, bórralo todo, borra todo",
    no_words="no, n, no gracias, cancelar",
    forget_all_done="He borrado todo. Empezamos desde el principio.",
    forget_all_kept="De acuerdo, lo conservo todo.",
    button_not_yours="Solo puede responder quien preguntó.",
    button_stale="Esta pregunta ya no es válida. Envía otra vez /forget all, por favor.",
    name_default="Me llamo {name}. Para llamarme de otro modo: /name y el nombre nuevo.",
    name_current="Ahora me llamo {name}. Para cambiarlo: /name y el nombre nuevo.",
    name_set="Desde ahora me llamo {name}.",
    name_refused="No puedo aceptar ese nombre: {reason}.",
    language_current="Idioma: {name}. Para cambiarlo: /language y uno de {examples}.",
    language_set="Ahora el idioma es: {name}.",
    language_only_told="El modelo lo sabrá; mis propias frases, como esta, siguen en español.",
    language_unknown="No conozco el idioma {given}. Conozco estos: {examples}.",
    time_zone_current=(
        "Zona horaria: {name}, hora local {time}. Para cambiarla: /timezone y su nombre, como "
        "/timezone Europe/Madrid, /timezone America/Bogota o /timezone UTC."
    ),
    time_zone_set="Ahora la zona horaria es {name}, hora local {time}.",
    time_zone_unknown=(
        "No conozco la zona horaria {given}. Dame un nombre como Europe/Madrid, America/Bogota, "
        "Asia/Kolkata o UTC."
    ),
    settings_title="Tus ajustes",
    settings_title_group="Los ajustes de este grupo",
    settings_language="Idioma",
    settings_language_ask="¿En qué idioma debo escribir? También lo sabrá el modelo.",
    settings_language_telegram="Como en Telegram",
    settings_zone="Zona horaria",
    settings_zone_ask=(
        "¿Qué zona horaria? Para cualquier otro lugar envía /timezone y su nombre, por ejemplo "
        "/timezone Europe/Madrid."
    ),
    settings_zone_now="{name}, hora local {time}",
    settings_zone_default="Como este bot",
    settings_africa="África",
    settings_america="América",
    settings_asia="Asia",
    settings_europe="Europa",
    settings_oceania="Australia y Oceanía",
    settings_length="Respuestas",
    settings_length_ask="¿Qué extensión deben tener mis respuestas?",
    settings_length_short="cortas",
    settings_length_normal="normales",
    settings_length_long="detalladas",
    settings_streaming="Mientras escribo",
    settings_streaming_ask="¿Cómo debe verse una respuesta mientras la escribo?",
    settings_streaming_edit="un mensaje que crece",
    settings_streaming_draft="un borrador, como si tecleara",
    settings_streaming_off="solo cuando está lista",
    usage_title="Lo que he consumido para ti",
    usage_title_group="Lo que he consumido para este grupo",
    usage_session="Esta conversación",
    usage_today="Hoy, desde la medianoche UTC",
    usage_account=(
        "• respuestas: {turns}\n• tokens leídos: {read}, {cached} de ellos de la caché\n"
        "• tokens escritos: {written}\n• costo: {cost}"
    ),
    usage_recordings="• grabaciones: {length} min",
    usage_nothing="• todavía nada",
    usage_cost="${amount}",
    usage_cost_partly=_counted(
        "${amount}, y {counted} a un precio que no conozco", "petición", "peticiones"
    ),
    usage_cost_unknown="no conozco el precio de mis modelos",
    usage_free="nada, porque funciono sin modelo de lenguaje",
    usage_footer=(
        "Incluye guardar las conversaciones. Los costos se estiman con precios públicos."
    ),
    export_caption="Todo lo que guardo de ti.",
    export_caption_group="Todo lo que guardo de este grupo.",
    export_too_big="No puedo enviarte {name}: es demasiado grande para un archivo en Telegram.",
    admins_only=(
        "Solo pueden hacerlo los administradores de este grupo, porque afecta a lo que han dicho "
        "todos aquí."
    ),
    admins_only_settings=(
        "Solo los administradores de este grupo pueden cambiar sus ajustes, porque valen para "
        "todos aquí."
    ),
    group_not_welcome=(
        "¡Gracias por la invitación! Solo puedo quedarme en grupos a los que me ha añadido alguien "
        "que puede usarme, así que me voy."
    ),
    group_hello="¡Hola! Soy {name}.",
    group_how="Pregúntenme con /ask, menciónenme o respondan a uno de mis mensajes.",
    group_keeps=(
        "Lo que me cuenten aquí lo recuerdo solo para este grupo, no para los chats privados."
    ),
    group_help="Estos son los comandos:\n{commands}",
    group_privacy=(
        "Telegram me oculta los demás mensajes (modo de privacidad), a veces también las "
        "menciones: /ask siempre me llega."
    ),
    only_text="De momento solo sé leer texto. Escríbemelo, por favor.",
    sees_nothing=(
        "Tal como estoy configurado, no puedo ver imágenes. Dime con palabras lo que importa, por "
        "favor."
    ),
    reads_no_documents=(
        "Tal como estoy configurado, no puedo leer documentos así. Envíame su texto, o lo que "
        "importa, como mensaje, por favor."
    ),
    unknown_file=(
        "No sé qué hacer con un archivo así. Dime con palabras lo que importa, por favor."
    ),
    unreadable_file="No puedo leer el archivo {name}: está dañado o es de un tipo que no conozco.",
    too_big_file=(
        "El archivo es demasiado grande: de este tipo acepto {largest} MB como máximo. Envíame uno "
        "más pequeño o la parte que importa, por favor."
    ),
    lost_file="No he podido descargar tu archivo de Telegram. Envíalo otra vez, por favor.",
    hears_nothing="No puedo escuchar grabaciones. Escríbeme lo que has dicho, por favor.",
    too_long_recording=_counted(
        "Esa grabación es demasiado larga: puedo escuchar {counted}. Envíala en partes más cortas, "
        "por favor.",
        "minuto",
        "minutos",
    ),
    unheard_recording=(
        "No he podido escuchar tu grabación. Envíala otra vez, o escríbeme lo que has dicho, por "
        "favor."
    ),
    wordless_recording="No he entendido ninguna palabra en tu grabación. Dilo otra vez, por favor.",
    ask_how="Escribe tu pregunta después de /ask. O responde a un mensaje con /ask y lo miraré.",
    empty="En tu mensaje no había texto. Escríbeme lo que quieres decir, por favor.",
    too_long=_counted(
        "Es demasiado largo para mí: {counted}, y acepto {longest}. Envíalo en partes más "
        "pequeñas, por favor.",
        "carácter",
        "caracteres",
    ),
    refused="Este es un bot privado. Si debes tener acceso, dale al dueño tu id numérico: {id}",
    refused_unpaired=(
        "Este es un bot privado que aún no tiene dueño. Si es tuyo, envíame el código de "
        "emparejamiento que aparece en su registro."
    ),
    refused_anonymous=(
        "No veo quién escribe en nombre del grupo, y solo respondo a quien conozco. Escríbeme "
        "con tu propio nombre, por favor."
    ),
    not_the_code=(
        "Ese no es el código. Está en el registro del bot en marcha, en la línea que dice "
        "«pairing»; cada vez que arranca, el bot crea uno nuevo."
    ),
    no_more_codes=(
        "He recibido demasiados códigos equivocados: no miraré más códigos tuyos hasta que me "
        "reinicien. Entonces habrá uno nuevo en el registro."
    ),
    refused_code=(
        "Este es un bot privado. Para entrar, dale este código al dueño: {code}\n"
        "Cuando me envíe /approve {code}, podrás escribirme."
    ),
    wants_in="{name} (id {id}) quiere usarme. Para dar acceso: /approve {code}",
    limit_minute=_counted(
        "Es más de lo que puedo atender a la vez. Espera {counted} y escribe de nuevo, por favor.",
        "segundo",
        "segundos",
    ),
    limit_day=(
        "Se alcanzó el límite de hoy. Desde la medianoche UTC vuelvo a responder; lo que recuerdo "
        "se queda."
    ),
    approved="{name} (id {id}) ahora puede usarme.",
    approved_untold=(
        "{name} (id {id}) ahora puede usarme. No he podido avisar, porque no puedo escribir a "
        "quien nunca me ha escrito: hazlo tú, por favor."
    ),
    in_already="{name} (id {id}) ya tenía acceso.",
    approved_you=(
        "¡Te doy la bienvenida! El dueño te ha dejado entrar. /help muestra lo que sé hacer."
    ),
    approve_how="Dime a quién dejo entrar: /approve y el código que di, o su id numérico.",
    approve_ids_only=(
        "Dejo entrar por el código o por el id numérico, como /approve 1001. A un nombre de "
        "usuario se puede renunciar, y otra persona puede tomarlo."
    ),
    approve_listed=(
        "Aquí solo los ajustes dicen quién puede usarme (access = allowlist). Añade su id numérico "
        "a allowed_users y reiníciame."
    ),
    no_such_code="No he dado a nadie el código {code}, o ya caducó. /users muestra quién espera.",
    users_title="Quién puede usarme",
    users_owners="Dueños",
    users_guests="Admitidos",
    users_waiting="Esperan tu aprobación",
    users_listed="Nombrados en la configuración",
    users_everybody="Cualquiera puede usarme: el acceso es abierto.",
    users_footer="Para quitarle el acceso a alguien: /users remove y su id numérico.",
    user_removed="{name} (id {id}) ya no puede usarme.",
    no_such_user="Entre quienes puedo quitar, nadie tiene el id {id}. /users muestra a todos.",
    stats=(
        "• personas hoy: {people}\n• respuestas hoy: {turns}\n• tokens hoy: {tokens}\n"
        "• grabaciones hoy: {recordings} min\n• costo hoy: {today}\n• costo este mes: {month}\n"
        "• errores desde {since} UTC: {errors}\n"
        "• conversaciones por guardar: {backlog}, apartadas: {set_aside}"
    ),
    paired="¡Te doy la bienvenida! Este bot ahora es tuyo. /help muestra lo que sé hacer.",
    stale=(
        "Perdona, estuve fuera un rato y no respondí a tus mensajes anteriores. Si todavía "
        "importa, escríbeme otra vez, por favor."
    ),
    no_answer="No tengo respuesta para eso. Dilo de otra manera, por favor.",
    refusals={
        Refusal.EMPTY: "no hay nada que recordar",
        Refusal.LONG: "es demasiado largo; di lo que importa en una o dos frases",
        Refusal.ORDER: (
            "parece una orden sobre mis propias reglas, y un recuerdo dice algo de una persona o "
            "de cómo hablarle"
        ),
        Refusal.QUESTION: "es una pregunta y no afirma nada; pregúntamelo sin /remember",
        Refusal.SETTING: "eso es un ajuste: /settings",
        Refusal.OFF: "mi memoria a largo plazo está desactivada",
        Refusal.NAME_LINES: "un nombre debe ir en una sola línea",
        Refusal.NAME_EMPTY: "un nombre necesita al menos una letra o una cifra",
        Refusal.NAME_LONG: "es demasiado largo",
        Refusal.NAME_CHARACTERS: (
            "un nombre no puede llevar caracteres de control ni corchetes angulares"
        ),
        Refusal.OTHER: "aquí no se puede",
    },
    failures={
        "unreachable": _LATER,
        "server_error": _LATER,
        "bad_credentials": _SET_UP,
        "unknown_model": _SET_UP,
        "quota": _SET_UP,
        "configuration": _SET_UP,
        "throttled": (
            "Recibo más mensajes de los que mi modelo de lenguaje puede atender. Inténtalo de "
            "nuevo en un minuto, por favor."
        ),
        "context_overflow": (
            "Es más de lo que puedo leer de una vez. Envía menos texto o empieza de nuevo con "
            "/new, por favor."
        ),
        "rejected": (
            "Mi modelo de lenguaje no ha entendido ese mensaje. Dilo de otra manera, por favor."
        ),
        "attachment_refused": (
            "Mi modelo de lenguaje no acepta tu archivo adjunto. Dime con palabras lo que importa, "
            "por favor."
        ),
        "timeout": (
            "Ha tardado demasiado y he desistido. Inténtalo otra vez, por favor, quizá con una "
            "pregunta más sencilla."
        ),
        "cut": "La conexión se cortó mientras respondía. Envía tu mensaje otra vez, por favor.",
        "content_filter": "A eso no puedo responder. Pregúntame otra cosa, por favor.",
        "no_answer": "No se me ha ocurrido una respuesta. Dilo con otras palabras, por favor.",
        "output_limit": (
            "Mi respuesta salió demasiado larga. Pide una parte más pequeña, por favor."
        ),
        "endless_tools": (
            "He dado vueltas en círculo y he desistido. Dilo con otras palabras, por favor."
        ),
    },
    error_number="(error {id})",
    failed="Algo ha fallado por mi parte. Inténtalo de nuevo, por favor. (error {id})",
)
