"""Portuguese, as friends in Brazil speak it: "você"."""

from bot.texts.plurals import Counted, none_is_one_many_other
from bot.texts.texts import Texts
from memory.errors import Refusal

_SAVED = "✨ Resumi a nossa conversa e guardei o que importa."
_LATER = (
    "Agora não consigo acessar meu modelo de linguagem. Tente de novo em alguns minutos, por favor."
)
_SET_UP = (
    "Meu modelo de linguagem se recusa a trabalhar, e só quem me opera pode resolver. Tente de "
    "novo mais tarde, por favor."
)


def _counted(pattern: str, one: str, other: str) -> Counted:
    """A text with one noun in it that changes with the number; the rest stays."""
    return Counted.of(
        none_is_one_many_other,
        pattern,
        {
            "one": f"{{count}} {one}",
            "many": f"{{count}} de {other}",
            "other": f"{{count}} {other}",
        },
    )


PORTUGUESE = Texts(
    commands={
        "new": "Começar outra conversa; esta fica guardada",
        "private": "Conversar sem eu guardar nada; de novo para terminar",
        "summarize": "Sobre o que falamos até agora",
        "memory": "O que eu lembro de você",
        "search": "Procurar algo na minha memória",
        "remember": "Guardar uma frase na hora",
        "edit": "Reformular uma lembrança",
        "forget": "Apagar uma lembrança pelo id ou todas",
        "name": "Como você me chama: ver ou mudar",
        "settings": "Idioma, fuso horário, tamanho e forma das respostas",
        "language": "Seu idioma: ver ou mudar",
        "timezone": "Seu fuso horário: ver ou mudar",
        "export": "Tudo o que guardo sobre você, em arquivos",
        "usage": "Uso e custo: esta conversa e hoje",
        "ask": "Fazer uma pergunta; para grupos",
        "stop": "Parar a resposta em andamento",
        "help": "O que eu sei fazer",
        "start": "Quem eu sou",
    },
    group_commands={
        "ask": "Fazer uma pergunta",
        "memory": "O que eu lembro deste grupo; para administradores",
        "search": "Procurar algo na minha memória; para administradores",
        "forget": "Apagar uma lembrança ou todas; para administradores",
        "name": "Como eu me chamo aqui: ver ou mudar",
        "settings": "Idioma, fuso horário, respostas; para administradores",
    },
    owner_commands={
        "approve": "Deixar alguém entrar pelo código ou id",
        "users": "Quem pode me usar e quem espera",
        "stats": "Como vou: pessoas, respostas, erros, custos",
    },
    start="Olá! Eu sou {name}. Escreva para mim como escreveria para uma pessoa.",
    start_keeps=(
        "Eu me lembro do que você me conta sobre você e do que prefere, também em outras "
        "conversas. /memory mostra o que guardei, /forget apaga, /export entrega tudo a você."
    ),
    start_forgets=(
        "Minha memória de longo prazo está desativada: só conheço nossas últimas mensagens."
    ),
    engine_none=(
        "Funciono sem modelo de linguagem: entendo o que você me conta sobre você, os nomes que me "
        "dá e perguntas sobre o que sei, principalmente em inglês, russo e alemão."
    ),
    engine="Quem escreve minhas respostas é {model}.",
    engine_instead="Quando não está disponível, uso {models}.",
    help="Você pode simplesmente me escrever. Estes são os comandos:\n{commands}",
    unknown_command="Não conheço /{given}. /help mostra o que sei fazer.",
    unknown_command_near=(
        "Não conheço /{given}. Você quis dizer /{near}? /help mostra tudo o que sei fazer."
    ),
    new="Começa uma nova conversa.",
    greeting_topics="Da última vez falamos sobre {topics}.",
    new_saved=f"{_SAVED}\nComeça uma nova conversa.",
    new_later="Começa uma nova conversa. Ainda estou guardando a última.",
    saved=_SAVED,
    saved_full=_counted(
        "Trocamos {counted}, então começa uma nova conversa.",
        "mensagem",
        "mensagens",
    ),
    saved_idle="Faz um bom tempo que não conversamos, então começa uma nova conversa.",
    private_on=(
        "🔒 Esta conversa é privada. Não guardo nada dela: quando termina, some. Posso usar o que "
        "já sei sobre você. Minhas respostas levam este sinal até você enviar /private de novo, ou "
        "/new."
    ),
    private_off="A conversa privada terminou, e não guardei nada dela.",
    private_over=(
        "A conversa privada terminou porque faz um bom tempo que não conversamos, e não guardei "
        "nada dela. O que você escrever agora não é mais privado; /private começa outra."
    ),
    private_refused=(
        "🔒 Esta conversa é privada, então não guardo nada, nem a pedido. Para terminar: /private"
    ),
    stopped="Interrompido.",
    nothing_to_stop="Não há nada para interromper.",
    summary_title="Sobre o que falamos até agora:",
    summary_nothing="Ainda não há nada para resumir: acabamos de começar.",
    summary_last="A última conversa está guardada:",
    summary_last_group=(
        "A última conversa está guardada: /memory mostra aos administradores sobre o que foi."
    ),
    memory_off=(
        "Minha memória de longo prazo está desativada, então este comando não pode fazer nada."
    ),
    memory_unavailable=(
        "Agora não consigo acessar minha memória. Tente de novo em um minuto, por favor."
    ),
    memory_empty="Ainda não me lembro de nada sobre você.",
    memory_empty_group="Ainda não me lembro de nada sobre este grupo.",
    memory_adds="O que for dito agora será acrescentado quando nossa conversa terminar: /new",
    memory_adds_nothing="Esta conversa é privada: nada dela será acrescentado.",
    memory_title="O que eu lembro de você",
    memory_title_group="O que eu lembro deste grupo",
    memory_name="Você me chama de {name}",
    memory_facts="Fatos",
    memory_preferences="Preferências",
    memory_summaries="Conversas",
    memory_footer="Para apagar uma: /forget e o id. Para apagar tudo: /forget all",
    memory_more=_counted("… e {counted}", "lembrança anterior", "lembranças anteriores"),
    memory_none="Não há nada aqui.",
    memory_noted="Anotado em {date}.",
    memory_dated="Quando: {date}.",
    memory_from="De onde eu sei isso:",
    memory_from_nowhere="A mensagem de onde eu sei isso não está mais guardada.",
    memory_said_me="Eu",
    memory_said_you="Você",
    memory_quoted="“{text}”",
    memory_delete_ask="Apago isto?\n\n{text}",
    memory_delete_along="Também será apagado:",
    memory_delete_messages=_counted(
        "{counted}", "mensagem em que isso aparece", "mensagens em que isso aparece"
    ),
    memory_delete_summaries=_counted("{counted}", "resumo de uma conversa", "resumos de conversas"),
    memory_deleted="Apagado: {text}",
    memory_brought_back="Recuperado: {text}",
    memory_undo_late="É tarde demais para desfazer.",
    memory_gone="Esta lembrança não existe mais.",
    buttons_stale="Estes botões não valem mais. Envie /{command} de novo, por favor.",
    button_back="‹ Voltar",
    button_edit="Editar",
    button_delete="Apagar",
    button_delete_yes="Sim, apague",
    button_delete_no="Não, mantenha",
    button_from="De onde?",
    button_undo="Desfazer",
    edit_how=(
        "Para dizer com outras palavras, envie\n"
        "/edit {id} e as novas palavras.\n\n"
        "Agora está assim: {text}"
    ),
    edit_ask=(
        "Envie as novas palavras. (A qualquer momento: /edit {id} e as novas palavras.)\n\n"
        "Agora está assim: {text}"
    ),
    edit_unchanged="Fica como estava: {text}",
    edit_usage="Diga qual lembrança e as novas palavras, por exemplo: /edit f1 Eu moro em Oslo",
    search_how="Diga o que procurar: /search e algumas palavras.",
    search_ask="O que devo procurar? Envie algumas palavras.",
    search_found="O que encontrei",
    search_nothing="Não encontrei nada sobre isso.",
    remember_how="Diga o que lembrar: /remember e uma frase sobre você.",
    remember_ask=(
        "O que devo lembrar? Envie uma frase sobre você, ou qualquer comando para desistir."
    ),
    remembered="Guardado: {text}  [{id}]",
    remember_refused="Não posso guardar isso: {reason}.",
    forget_how=(
        "Diga o que esquecer: /forget e o id de uma lembrança, por exemplo /forget {example}, ou "
        "/forget all. /memory mostra os ids."
    ),
    forget_which=(
        "Esqueço lembranças uma a uma pelo id, ou tudo: /forget all. Para encontrar lembranças "
        "sobre um assunto: /search e algumas palavras, depois /forget e os ids."
    ),
    no_such_memory="Não tenho nenhuma lembrança com o id {id}. /memory mostra o que há.",
    forget_all_ask=(
        "Apago tudo o que sei sobre você, incluindo nossas conversas? Não dá para desfazer."
    ),
    forget_all_ask_group=(
        "Apago tudo o que sei sobre este grupo, incluindo nossas conversas aqui? Não dá para "
        "desfazer."
    ),
    forget_all_yes="Sim, apague tudo",
    forget_all_no="Não, mantenha",
    yes_words="sim, s, sim por favor, apague tudo, apagar tudo",
    no_words="não, nao, n, não obrigado, não obrigada, cancelar",
    forget_all_done="Tudo foi apagado. Começamos do zero.",
    forget_all_kept="Está bem, mantenho tudo.",
    button_not_yours="Só quem perguntou pode responder.",
    button_stale="Esta pergunta não vale mais. Envie /forget all de novo, por favor.",
    name_default="Meu nome é {name}. Para me chamar de outro jeito: /name e o novo nome.",
    name_current="Agora meu nome é {name}. Para mudar: /name e o novo nome.",
    name_set="A partir de agora meu nome é {name}.",
    name_refused="Não posso aceitar esse nome: {reason}.",
    language_current="Idioma: {name}. Para mudar: /language e um de {examples}.",
    language_set="Agora o idioma é: {name}.",
    language_only_told=(
        "O modelo fica sabendo; as minhas frases, como esta, continuam em português."
    ),
    language_unknown="Não conheço o idioma {given}. Conheço estes: {examples}.",
    time_zone_current=(
        "Fuso horário: {name}, hora local {time}. Para mudar: /timezone e o nome, como "
        "/timezone America/Sao_Paulo, /timezone Europe/Lisbon ou /timezone UTC."
    ),
    time_zone_set="Agora o fuso horário é {name}, hora local {time}.",
    time_zone_unknown=(
        "Não conheço o fuso horário {given}. Diga um nome como America/Sao_Paulo, Europe/Lisbon, "
        "Asia/Kolkata ou UTC."
    ),
    settings_title="Suas configurações",
    settings_title_group="As configurações deste grupo",
    settings_language="Idioma",
    settings_language_ask="Em que idioma devo escrever? O modelo também fica sabendo.",
    settings_language_telegram="Como no Telegram",
    settings_zone="Fuso horário",
    settings_zone_ask=(
        "Qual fuso horário? Para qualquer outro lugar, envie /timezone e o nome, por exemplo "
        "/timezone America/Sao_Paulo."
    ),
    settings_zone_now="{name}, hora local {time}",
    settings_zone_default="Como este bot",
    settings_africa="África",
    settings_america="América",
    settings_asia="Ásia",
    settings_europe="Europa",
    settings_oceania="Austrália e Oceania",
    settings_length="Respostas",
    settings_length_ask="De que tamanho devem ser minhas respostas?",
    settings_length_short="curtas",
    settings_length_normal="normais",
    settings_length_long="detalhadas",
    settings_streaming="Enquanto escrevo",
    settings_streaming_ask="Como uma resposta deve aparecer enquanto eu a escrevo?",
    settings_streaming_edit="uma mensagem que cresce",
    settings_streaming_draft="um rascunho, ao digitar",
    settings_streaming_off="só quando está pronta",
    usage_title="Quanto usei para você",
    usage_title_group="Quanto usei para este grupo",
    usage_session="Esta conversa",
    usage_today="Hoje, desde a meia-noite UTC",
    usage_account=(
        "• respostas: {turns}\n• tokens lidos: {read}, {cached} deles vindos do cache\n"
        "• tokens escritos: {written}\n• custo: {cost}"
    ),
    usage_recordings="• gravações: {length} min",
    usage_nothing="• nada ainda",
    usage_cost="${amount}",
    usage_cost_partly=_counted(
        "${amount}, e {counted} a um preço que não conheço", "solicitação", "solicitações"
    ),
    usage_cost_unknown="não conheço o preço dos meus modelos",
    usage_free="nada, porque funciono sem modelo de linguagem",
    usage_footer=(
        "Inclui guardar as conversas. Os custos são estimativas com base em preços públicos."
    ),
    export_caption="Tudo o que guardo sobre você.",
    export_caption_group="Tudo o que guardo sobre este grupo.",
    export_too_big="Não posso enviar {name}: é grande demais para um arquivo no Telegram.",
    admins_only=(
        "Só administradores deste grupo podem fazer isso, porque envolve o que todos disseram aqui."
    ),
    admins_only_settings=(
        "Só administradores deste grupo podem mudar as configurações dele, porque valem para "
        "todos aqui."
    ),
    group_not_welcome=(
        "Obrigado pelo convite! Só posso ficar em grupos aos quais fui adicionado por alguém que "
        "pode me usar, então vou sair."
    ),
    group_hello="Olá! Eu sou {name}.",
    group_how="Perguntem com /ask, mencionem-me ou respondam a uma mensagem minha.",
    group_keeps=(
        "O que vocês me contam aqui eu lembro só para este grupo, não para conversas particulares."
    ),
    group_help="Estes são os comandos:\n{commands}",
    group_privacy=(
        "O Telegram esconde de mim as outras mensagens (modo de privacidade), às vezes também as "
        "menções: /ask sempre chega até mim."
    ),
    only_text="Por enquanto só sei ler texto. Escreva para mim, por favor.",
    sees_nothing=(
        "Do jeito que estou configurado, não consigo ver imagens. Diga em palavras o que importa, "
        "por favor."
    ),
    reads_no_documents=(
        "Do jeito que estou configurado, não consigo ler documentos assim. Envie o texto, ou o "
        "que importa, como mensagem, por favor."
    ),
    unknown_file=(
        "Não sei o que fazer com um arquivo desse tipo. Diga em palavras o que importa, por favor."
    ),
    unreadable_file=(
        "Não consigo ler o arquivo {name}: está danificado ou é de um tipo que não conheço."
    ),
    too_big_file=(
        "O arquivo é grande demais: deste tipo aceito no máximo {largest} MB. Envie um menor ou a "
        "parte que importa, por favor."
    ),
    lost_file="Não consegui baixar seu arquivo do Telegram. Envie de novo, por favor.",
    hears_nothing="Não consigo ouvir gravações. Escreva o que você disse, por favor.",
    too_long_recording=_counted(
        "Essa gravação é longa demais: consigo ouvir {counted}. Envie em partes mais curtas, por "
        "favor.",
        "minuto",
        "minutos",
    ),
    unheard_recording=(
        "Não consegui ouvir sua gravação. Envie de novo, ou escreva o que você disse, por favor."
    ),
    wordless_recording="Não entendi nenhuma palavra na sua gravação. Repita, por favor.",
    ask_how=(
        "Escreva sua pergunta depois de /ask. Ou responda a uma mensagem com /ask, e eu a leio."
    ),
    empty="Não havia texto na sua mensagem. Escreva o que você quer dizer, por favor.",
    too_long=_counted(
        "É longo demais para mim: {counted}, e aceito {longest}. Envie em partes menores, por "
        "favor.",
        "caractere",
        "caracteres",
    ),
    refused="Este é um bot privado. Se você deveria ter acesso, dê ao dono seu id numérico: {id}",
    refused_unpaired=(
        "Este é um bot privado que ainda não tem dono. Se ele é seu, envie o código de pareamento "
        "que está no registro dele."
    ),
    refused_anonymous=(
        "Não vejo quem escreve em nome do grupo, e só respondo a quem conheço. Escreva para mim "
        "com o seu próprio nome, por favor."
    ),
    not_the_code=(
        "Esse não é o código. Ele está no registro do bot em execução, na linha que diz “pairing”; "
        "cada vez que inicia, o bot cria um novo."
    ),
    no_more_codes=(
        "Recebi códigos errados demais: não olho mais os seus até eu ser reiniciado. Então haverá "
        "um novo no registro."
    ),
    refused_code=(
        "Este é um bot privado. Para entrar, dê este código ao dono: {code}\n"
        "Quando ele me enviar /approve {code}, você poderá me escrever."
    ),
    wants_in="{name} (id {id}) gostaria de me usar. Para dar acesso: /approve {code}",
    limit_minute=_counted(
        "É mais do que consigo atender de uma vez. Espere {counted} e escreva de novo, por favor.",
        "segundo",
        "segundos",
    ),
    limit_day=(
        "O limite de hoje foi atingido. A partir da meia-noite UTC volto a responder; o que lembro "
        "continua."
    ),
    approved="{name} (id {id}) agora pode me usar.",
    approved_untold=(
        "{name} (id {id}) agora pode me usar. Não pude avisar, porque não posso escrever a quem "
        "nunca me escreveu: avise você, por favor."
    ),
    in_already="{name} (id {id}) já pode me usar.",
    approved_you="Boas-vindas: o dono deixou você entrar. /help mostra o que sei fazer.",
    approve_how="Diga quem deixar entrar: /approve e o código que eu dei, ou o id numérico.",
    approve_ids_only=(
        "Deixo entrar pelo código ou pelo id numérico, como /approve 1001. Um nome de "
        "usuário pode ser abandonado, e outra pessoa pode pegá-lo."
    ),
    approve_listed=(
        "Aqui só as configurações dizem quem pode me usar (access = allowlist). Acrescente o id "
        "numérico a allowed_users e me reinicie."
    ),
    no_such_code="Não dei a ninguém o código {code}, ou ele expirou. /users mostra quem espera.",
    users_title="Quem pode me usar",
    users_owners="Donos",
    users_guests="Aprovados",
    users_waiting="Aguardando sua aprovação",
    users_listed="Citados na configuração",
    users_everybody="Qualquer pessoa pode me usar: o acesso é aberto.",
    users_footer="Para tirar o acesso de alguém: /users remove e o id numérico.",
    user_removed="{name} (id {id}) não pode mais me usar.",
    no_such_user="Entre quem posso remover, ninguém tem o id {id}. /users mostra todos.",
    stats=(
        "• pessoas hoje: {people}\n• respostas hoje: {turns}\n• tokens hoje: {tokens}\n"
        "• gravações hoje: {recordings} min\n• custo hoje: {today}\n• custo este mês: {month}\n"
        "• erros desde {since} UTC: {errors}\n"
        "• conversas por guardar: {backlog}, deixadas de lado: {set_aside}"
    ),
    paired="Boas-vindas! Este bot agora é seu. /help mostra o que sei fazer.",
    stale=(
        "Desculpe, fiquei fora um tempo e não respondi às suas mensagens anteriores. Se ainda "
        "importa, escreva de novo, por favor."
    ),
    no_answer="Não tenho resposta para isso. Diga de outro jeito, por favor.",
    refusals={
        Refusal.EMPTY: "não há nada para lembrar",
        Refusal.LONG: "é longo demais; diga o que importa em uma ou duas frases",
        Refusal.ORDER: (
            "parece uma ordem sobre minhas próprias regras, e uma lembrança diz algo sobre uma "
            "pessoa ou sobre como falar com ela"
        ),
        Refusal.QUESTION: "é uma pergunta e não afirma nada; pergunte sem /remember",
        Refusal.SETTING: "isso é uma configuração: /settings",
        Refusal.OFF: "minha memória de longo prazo está desativada",
        Refusal.NAME_LINES: "um nome deve ficar em uma linha só",
        Refusal.NAME_EMPTY: "um nome precisa de pelo menos uma letra ou um algarismo",
        Refusal.NAME_LONG: "é longo demais",
        Refusal.NAME_CHARACTERS: (
            "um nome não pode ter caracteres de controle nem sinais de menor e maior"
        ),
        Refusal.OTHER: "aqui não dá",
    },
    failures={
        "unreachable": _LATER,
        "server_error": _LATER,
        "bad_credentials": _SET_UP,
        "unknown_model": _SET_UP,
        "quota": _SET_UP,
        "configuration": _SET_UP,
        "throttled": (
            "Recebo mais mensagens do que meu modelo de linguagem consegue atender. Tente de novo "
            "em um minuto, por favor."
        ),
        "context_overflow": (
            "É mais do que consigo ler de uma vez. Envie menos texto ou recomece com /new, por "
            "favor."
        ),
        "rejected": (
            "Meu modelo de linguagem não entendeu essa mensagem. Diga de outro jeito, por favor."
        ),
        "attachment_refused": (
            "Meu modelo de linguagem não aceita o seu anexo. Diga em palavras o que importa, por "
            "favor."
        ),
        "timeout": (
            "Demorou demais e desisti. Tente de novo, por favor, talvez com uma pergunta mais "
            "simples."
        ),
        "cut": "A conexão caiu enquanto eu respondia. Envie sua mensagem de novo, por favor.",
        "content_filter": "Não posso responder a isso. Pergunte outra coisa, por favor.",
        "no_answer": "Não me ocorreu uma resposta. Diga com outras palavras, por favor.",
        "output_limit": "Minha resposta ficou longa demais. Peça uma parte menor, por favor.",
        "endless_tools": "Andei em círculos e desisti. Diga com outras palavras, por favor.",
    },
    error_number="(erro {id})",
    failed="Algo deu errado do meu lado. Tente de novo, por favor. (erro {id})",
)
