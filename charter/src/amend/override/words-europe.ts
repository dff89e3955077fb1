import type { Vocabulary } from "./vocabulary.ts";

/** Words of European languages; accents are left out where the screen leaves them out. */
export const europe: Readonly<Record<string, Vocabulary>> = {
  es: {
    drop: "ya_no_tienes_que_seguir ya_no_debes_seguir ya_no_necesitas_seguir no_prestes_atencion no_preste_atencion deja_de_lado deje_de_lado deja_a_un_lado no_tengas_en_cuenta no_tenga_en_cuenta ignor* olvid* desatiend* descart* omit* haz_caso_omiso hagan_caso_omiso haga_caso_omiso no_sigas no_hagas_caso no_obedezcas anul* elimin* borra* desobedec* deja_de_seguir pasa_por_alto prescind* desestim* invalid*",
    prior:
      "se_te_han_dado te_han_dado que_te_dieron que_recibiste anterior* previa previas previo previos arriba precedent* antes existent* pasad* original* inicial* dad* recibid* sistema",
    whole: "tod* cualquier*",
    order:
      "instruccion* regla* indicacion* orden ordenes directri* directiva* prompt* norma* mensaje* comando* restriccion* pauta* consigna*",
    own: "tus sus vuestr* tu",
    above:
      "todo_lo_que_le todo_lo_que_te todo_cuanto todo_lo_anterior lo_anterior lo_de_arriba todo_lo_que_sabes todo_lo_dicho todo_lo_que_se todo_lo_que_has",
    show: "revela* muestra* muestre* imprim* dime repite repit* divulg* ensena* dame",
    prompt:
      "prompt_del_sistema prompt_de_sistema instrucciones_del_sistema mensaje_del_sistema tus_instrucciones prompt_inicial instrucciones_iniciales prompt_original",
    not: "no nunca jamas sin evita* rechaz* ni prohib* impid*",
    ask: "pide piden pida intent* usuario usuarios solicit* ataque* inyeccion aunque",
  },
  fr: {
    drop: "n_as_plus_a_suivre as_plus_a_suivre n_avez_plus_a_suivre mets_de_cote mettez_de_cote ne_pretez_pas_attention ne_prete_pas_attention ne_fais_pas_attention ne_prends_pas_en_compte ne_prenez_pas_en_compte ne_respecte_plus ne_respectez_plus ne_suis_plus ne_suivez_plus ignor* oubli* negligez neglige ne_suivez_pas ne_suis_pas ne_tiens_pas_compte ne_tenez_pas_compte ne_tenez_plus_compte ne_tiens_plus_compte ne_pas_tenir_compte fais_abstraction faites_abstraction faire_abstraction outrepass* annul* supprim* efface* contourn* desobei* ecarte* laissez_tomber laisse_tomber cesse_de_suivre passe_outre passez_outre",
    prior:
      "precedent* anterieur* avant ci_dessus dessus prealable* existant* initiales initiaux originales passees recu* donne* systeme",
    whole: "tout toute toutes tous",
    order:
      "instruction* consigne* regle* directive* ordre ordres prompt* invite* commande* message* indication* contrainte* restriction*",
    own: "vos tes votre ton ta",
    above:
      "tout_ce_qui_precede ce_qui_precede tout_ce_qui_est_au_dessus tout_ce_que_tu tout_ce_que_vous tout_ce_qu_on tout_ce_qui_a_ete",
    show: "revel* montr* affich* imprim* repet* divulg* donne_moi donnez_moi dis_moi dites_moi",
    prompt:
      "prompt_systeme prompt_du_systeme invite_systeme instructions_systeme instructions_du_systeme tes_instructions vos_instructions message_systeme prompt_initial instructions_initiales",
    not: "ne jamais pas n sans refus* evit* interdi* ni",
    ask: "demande demandent demandait tente tentent utilisateur utilisateurs essaie essaient attaque* injection* meme_si",
  },
  de: {
    drop: "nicht_mehr_befolgen nicht_mehr_folgen nicht_langer_befolgen nicht_mehr_beachten ausser_kraft ignorierst lasse_ausser_acht ignorier* vergiss vergesst vergessen missacht* beacht*_nicht ubergeh* uberschreib* verwirf verwerf* losch* missachte lass_ausser_acht lassen_sie_ausser_acht befolg*_nicht folge_nicht umgeh* annullier* ausser_acht setze_ausser_kraft hor*_auf_zu_befolgen aufheb* heb*_auf",
    prior:
      "vorherig* vorig* bisherig* obig* fruher* vorangegangen* vorangehend* vorstehend* vorhergehend* oben zuvor bestehend* ursprunglich* vorgegeben* gegeben* erhalten*",
    whole: "alle allen saemtliche samtlich* jede jegliche*",
    order:
      "anweisung* instruktion* befehl* regel* richtlinie* vorgabe* anordnung* prompt* systemprompt* nachricht* anleitung* weisung* systemanweisung* beschrankung* direktive* auftrag*",
    own: "deine* ihre* eure* dein system",
    above:
      "systemregel* systemanweisung* deine_regeln alles_oben alles_obige das_obige alles_bisherige alles_vorherige alles_was_dir alles_was_du alles_was_ich alles_zuvor alles_davor alles_was_ihnen alles_was_oben",
    show: "zeig* verrat* offenbar* gib* nenn* druck* wiederhol* enthull* preis",
    prompt: "systemprompt* system_prompt* systemanweisung* deine_anweisungen ihre_anweisungen systemnachricht*",
    not: "nicht niemals nie kein* ohne weiger* vermeid* verhinder* weder",
    notAfter: "nicht niemals nie",
    ask: "bittet auffordert versucht versuchen nutzer benutzer anwender angriff* injektion* selbst_wenn auch_wenn",
  },
  pt: {
    drop: "nao_precisa_mais_seguir nao_precisa_seguir nao_preste_atencao nao_leve_em_conta nao_leve_em_consideracao nao_deve_mais_seguir deixa_de_lado ignor* esquec* desconsider* descart* desobedec* anul* apag* nao_siga nao_sigas nao_obedeca deixe_de_lado deixe_de_seguir pare_de_seguir elimin* negligenci* desprez*",
    prior:
      "anterior* previa previas previo previos acima precedent* antes existent* passad* original originais inici* dad* recebid* sistema",
    whole: "tod* qualquer quaisquer",
    order:
      "instruco* instrucao regra* ordem ordens diretri* diretiva* comando* prompt* norma* mensage* orientac* restric* indicac*",
    own: "suas seus tuas teus sua seu vossas",
    above:
      "tudo_acima tudo_o_que_foi tudo_que_foi o_que_foi_dito tudo_o_que tudo_que_voce o_que_esta_acima o_texto_acima tudo_anterior o_acima",
    show: "revel* mostr* exib* imprim* repit* divulg* diga_me me_diga me_mostre",
    prompt:
      "prompt_do_sistema prompt_de_sistema instrucoes_do_sistema suas_instrucoes mensagem_do_sistema prompt_inicial instrucoes_iniciais",
    not: "nao nunca jamais sem evit* recus* nem proib*",
    ask: "pede pedem pedir tent* usuario usuarios utilizador solicit* ataque* injecao mesmo_que",
  },
  it: {
    drop: "non_devi_piu_seguire non_prestare_attenzione metti_da_parte mettete_da_parte mettere_da_parte non_considerare non_seguire_piu ignor* dimentic* trascur* scart* non_seguire non_tenere_conto non_tener_conto annull* elimin* cancell* disobbed* tralasci* sovrascriv* scord* disattend* lascia_perdere lasciate_perdere",
    prior:
      "date dati fornite ricevute precedent* anterior* sopra prima esistent* passat* iniziali originali ricevut* sistema",
    whole: "tutt* qualsiasi ogni",
    order: "linee_guida istruzion* regol* ordin* direttiv* comand* prompt* indicazion* messagg* norm* restrizion*",
    own: "tue tuoi vostre vostri sue suoi tua",
    above: "tutto_cio_che tutto_quello_che quanto_sopra cio_che_precede tutto_il_precedente tutto_quanto",
    show: "rivel* mostr* stamp* ripet* divulg* dimmi dammi visualizz*",
    prompt:
      "prompt_di_sistema prompt_del_sistema istruzioni_di_sistema istruzioni_del_sistema le_tue_istruzioni messaggio_di_sistema prompt_iniziale istruzioni_iniziali",
    not: "non mai senza evit* rifiut* ne viet*",
    ask: "chiede chiedono chieda tenta* cerca_di utente utenti attacc* iniezion* anche_se",
  },
  nl: {
    drop: "hou_geen_rekening_met let_niet_op negeer negeren vergeet vergeten sla_over volg*_niet schrap verwijder* wis omzeil* overschrijf veronachtzaam laat_varen",
    prior: "vorige voorgaande eerdere bovenstaande voorafgaande bestaande oorspronkelijke hierboven eerder gegeven",
    whole: "alle al elke iedere",
    order: "instructie* regel* opdracht* richtlijn* prompt* aanwijzing* bevel* bericht* commando*",
    own: "je jouw uw jullie",
    above: "alles_hierboven het_bovenstaande alles_wat_je alles_wat_hierboven alles_wat_u",
    show: "toon onthul* laat_zien geef print herhaal vertel",
    prompt: "systeemprompt* systeem_prompt systeeminstructies je_instructies",
    not: "niet nooit geen zonder weiger* vermijd*",
    notAfter: "niet nooit",
    ask: "vraagt vragen probeert gebruiker gebruikers aanval* injectie*",
  },
  pl: {
    drop: "zignoruj* ignoruj* zapomn* pomin* nie_przestrzegaj porzuc* odrzuc* uniewazn* usun* nie_zwracaj_uwagi_na obejdz skasuj lekcewaz* zlekcewaz*",
    prior: "poprzedni* wczesniejsz* powyzsz* dotychczasow* wczesniej istniejac* pierwotn* uprzedni* otrzyman* podan*",
    whole: "wszystk* wszelk* kazd* cale",
    order: "instrukcj* polecen* regul* zasad* wytyczn* rozkaz* prompt* komend* wskazowk* nakaz* wiadomosc*",
    own: "swoje swoich twoje twoich",
    above: "wszystko_powyzej wszystko_co wszystkim_co o_wszystkim",
    show: "pokaz* ujawni* wyswietl* wypisz powtorz* podaj",
    prompt: "prompt_systemow* instrukcje_systemow* monit_systemow* swoje_instrukcje",
    not: "nie nigdy bez unikaj odmow* ani",
    ask: "prosi poprosi probuje uzytkownik* atak* wstrzykni*",
  },
  ru: {
    drop: "больше_не_обязан*_следовать не_обязан*_следовать больше_не_нужно_следовать отложи* не_принимай*_во_внимание не_соблюдай* не_придерживайся игнор* проигнор* забуд* забы* не_обращай* не_обращай*_внимания не_обращайте_внимания не_следуй* пренебре* отмени* отброс* не_учитывай* обойди* удали* сотри* отбрось* перестань*_следовать не_выполняй* нарушь",
    prior:
      "системы предыдущ* прежн* предшествующ* вышеуказан* вышеприведен* выше ранее ранн* прошл* исходн* первоначальн* полученн* данны* системн*",
    whole: "все всех всем всеми любы* всю",
    order:
      "инструкц* указани* правил* команд* приказ* директив* промпт* распоряжени* предписани* сообщени* ограничени* установк*",
    own: "свои своих твои ваши твоих ваших",
    above:
      "все_выше все_что_выше обо_всем все_что_было все_вышесказанное все_вышеперечисленное все_что_тебе все_что_ты всем_что все_вышеизложенное все_сказанное",
    show: "покажи* раскрой* выведи* напечатай* повтори* скажи* расскажи*",
    prompt: "системн*_промпт* системн*_инструкц* системн*_сообщени* свои_инструкции твои_инструкции свой_промпт",
    not: "не никогда нельзя без отказ* избега* запрещ* ни",
    ask: "просит попросит просят пытается пытаются пользовател* атак* инъекц* даже_если",
  },
  uk: {
    drop: "ігнор* проігнор* забуд* не_звертай* не_дотримуй* знехту* скасуй* відкинь* не_виконуй* обійди* видали*",
    prior: "попередн* вищезазначен* вище раніше ранiше минул* початков* наведен* отриман* системн*",
    whole: "всі усі всіх усіх будь_які все",
    order: "інструкц* вказівк* правил* команд* наказ* директив* промпт* розпоряджен* обмежен* настанов*",
    own: "свої твої ваші своїх",
    above: "все_вище усе_вище про_все все_що_було все_сказане все_що_тобі",
    show: "покажи* розкрий* виведи* надрукуй* повтори*",
    prompt: "системн*_промпт* системн*_інструкц* свої_інструкції",
    not: "не ніколи без відмов* уника* заборон*",
    ask: "просить попросить намагається користувач* атак* навіть_якщо",
  },
  cs: {
    drop: "ignoruj* zapomen* nevsimej* zanedbej* zrus* prehlizej* nedodrzuj* zahod*",
    prior: "predchoz* predesl* drivejsi* vyse puvodni* minul* vsechn*_predchozi",
    whole: "vsechn* veskere* kazd*",
    order: "pokyn* instrukc* pravid* prikaz* prompt* smernic*",
    own: "sve tve vase svoje",
    above: "vse_vyse vse_co vsechno_vyse",
    show: "ukaz* odhal* vypis* zopakuj*",
    prompt: "systemov*_prompt* systemov*_pokyn*",
    not: "ne nikdy bez odmit* nesmi*",
    ask: "pozada* snazi uzivatel*",
  },
  ro: {
    drop: "ignora* uita* nu_urma* nu_tine_cont anuleaza* sterge* neglija* nesocot*",
    prior: "anterioar* precedent* de_mai_sus mai_sus initiale existente",
    whole: "toate tot orice",
    order: "instructiuni* reguli* regul* comenzi* ordin* prompt* directiv* indicati*",
    own: "tale voastre dumneavoastra",
    above: "tot_ce tot_ceea_ce",
    show: "arata* dezvalui* afiseaza* repeta*",
    prompt: "promptul_de_sistem promptul_sistemului instructiunile_de_sistem",
    not: "nu niciodata fara refuz*",
    ask: "cere incearca utilizator*",
  },
  hu: {
    drop: "hagyd_figyelmen_kivul hagyja_figyelmen_kivul figyelmen_kivul felejts* felejtsd felejtse mellozd ignorald",
    prior: "korabbi* elozo* fenti* eddigi* eredeti*",
    whole: "minden osszes valamennyi",
    order: "utasitas* szabaly* parancs* prompt* iranyelv* instrukcio*",
    own: "az_on a_te sajat",
    above: "mindent_ami_fent a_fentieket mindent_amit",
    show: "mutasd fedd ird_ki ismeteld",
    prompt: "rendszerprompt* rendszeruzenet* rendszerutasitas*",
    not: "ne soha nem tilos",
    ask: "felhasznalo* keri probal*",
  },
  sv: {
    drop: "ignorer* glom* glem* bortse* strunta* se_bort_fra* se_bort_ifra* asidosatt* tilsidesaet* slett* unnlat*",
    prior: "tidigare foregaende ovanstaende forrige tidligere ovenstaende foregående ovan ovenfor foregaaende",
    whole: "alla alle samtliga all al",
    order:
      "instruktion* instruks* regler* reglerne order ordrer prompt* anvisning* riktlin* kommando* retningslinje* direktiv*",
    own: "dina dine deres",
    above: "allt_ovan alt_ovenfor allt_som alt_som alt_hvad",
    show: "visa vis avsloja avslor skriv_ut gentag upprepa",
    prompt: "systemprompt* systeminstruktion*",
    not: "inte aldrig ikke aldri utan uten uden",
    notAfter: "inte ikke",
    ask: "ber forsoker prover anvandare* bruker* bruger*",
  },
  fi: {
    drop: "unohda* jata_huomiotta jattakaa_huomiotta ohita* sivuuta*",
    prior: "aiem* edelli* ylla* edella* alkuperai*",
    whole: "kaikki kaikkia kaikista",
    order: "ohje* saann* kasky* kehote* maaray* prompt*",
    own: "omat sinun teidan",
    above: "kaikki_ylla kaikki_mita kaikki_edella",
    show: "nayta paljasta tulosta toista",
    prompt: "jarjestelmakehot* jarjestelmaohje*",
    not: "ala alkaa ei koskaan",
    ask: "pyytaa yrittaa kayttaja*",
  },
  el: {
    drop: "αγνο* ξεχασ* ξεχν* παραβλεψ* παρακαμψ* μην_ακολουθ* μη_λαβ* ακυρωσ* διαγραψ* παρεβλεψ*",
    prior: "προηγουμεν* παραπανω ανωτερω προγενεστερ* αρχικ* υπαρχουσ* προτερ*",
    whole: "ολες ολα ολους ολων καθε οποιαδηποτε οτι",
    order: "οδηγι* κανον* εντολ* προτροπ* κατευθυνσ* μηνυμα* υποδειξ* prompt*",
    own: "σου σας",
    above: "τα_παραπανω ολα_τα_παραπανω τα_ανωτερω οτι_σου τα_προηγουμενα",
    show: "αποκαλυψ* δειξ* εμφανισ* εκτυπωσ* επαναλαβ* πες",
    prompt: "προτροπη_συστηματος οδηγιες_συστηματος οδηγιες_του_συστηματος μηνυμα_συστηματος",
    not: "μην μη ποτε δεν χωρις αρνη*",
    ask: "ζητ* προσπαθ* χρηστης χρηστες επιθεσ*",
  },
};
