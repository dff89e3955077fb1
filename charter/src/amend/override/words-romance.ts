import type { Vocabulary } from "./vocabulary.ts";

/** Words of Romance languages; accents are left out where the screen leaves them out. */
export const romance: Readonly<Record<string, Vocabulary>> = {
  es: {
    drop: "ya_no_tienes_que_seguir ya_no_debes_seguir ya_no_necesitas_seguir no_prestes_atencion no_preste_atencion deja_de_lado deje_de_lado deja_a_un_lado no_tengas_en_cuenta no_tenga_en_cuenta ignor* olvid* desatiend* descart* omit* haz_caso_omiso hagan_caso_omiso haga_caso_omiso no_sigas no_hagas_caso no_obedezcas anul* elimin* borra* desobedec* deja_de_seguir pasa_por_alto prescind* desestim* invalid* desoye* desoiga* no_obedezca* dejen_de_seguir deje_de_seguir deja_de_obedecer deja_de_cumplir no_respet* no_cumplas salta* saltate rechaz* hagas_caso_omiso no_hagan_caso no_haga_caso no_escuches dejar_de_lado desech* suprim* sobrescrib* reemplaz*_tus",
    prior:
      "se_te_han_dado te_han_dado que_te_dieron que_recibiste anterior* previa previas previo previos arriba precedent* antes existent* pasad* original* inicial* dad* recibid* sistema de_arriba hasta_ahora que_te_han_dado que_recibio anteriormente de_antes antes_de_esta",
    whole: "tod* cualquier*",
    order:
      "instruccion* regla* indicacion* orden ordenes directri* directiva* prompt* norma* comando* restriccion* pauta* consigna* limitacion* limite* politica* lineamiento* orientacion* protocolo* mandato*",
    own: "tus sus vuestr* tu seguridad sistema etic* moral*",
    above:
      "todo_lo_que_le todo_lo_que_te todo_cuanto todo_lo_anterior lo_anterior lo_de_arriba todo_lo_que_sabes todo_lo_dicho todo_lo_que_se todo_lo_que_has lo_que_te_dijeron lo_que_te_han_dicho todo_lo_que_leiste todo_lo_que_aprendiste lo_dicho_antes lo_que_te_ensenaron todo_lo_que_viene_antes todo_lo_previo",
    show: "revela* muestra* muestre* imprim* dime repite repit* divulg* ensena* dame",
    prompt:
      "prompt_del_sistema prompt_de_sistema instrucciones_del_sistema mensaje_del_sistema tus_instrucciones prompt_inicial instrucciones_iniciales prompt_original",
    not: "no nunca jamas sin evita* rechaz* ni prohib* impid*",
    ask: "pide piden pida intent* usuario usuarios solicit* ataque* inyeccion aunque",
    strong:
      "ignor* olvid* desoye* descart* desatiend* haz_caso_omiso no_tengas_en_cuenta no_tenga_en_cuenta omit* pasa_por_alto deja_de_lado",
    talk: "texto* conversacion* contexto* contenido* mensaje* dialogo*",
    void: "obsolet* anulad* cancelad* invalid* no_valen ya_no_valen ya_no_se_aplican ya_no_aplican ya_no_rigen sin_efecto no_cuentan derogad* caducad* eran_una_prueba son_una_prueba",
    fresh: "nuev* verdader* actualizad* real reales",
    be: "son es sera seran",
    all: "todo",
  },
  fr: {
    drop: "n_as_plus_a_suivre as_plus_a_suivre n_avez_plus_a_suivre mets_de_cote mettez_de_cote ne_pretez_pas_attention ne_prete_pas_attention ne_fais_pas_attention ne_prends_pas_en_compte ne_prenez_pas_en_compte ne_respecte_plus ne_respectez_plus ne_suis_plus ne_suivez_plus ignor* oubli* negligez neglige ne_suivez_pas ne_suis_pas ne_tiens_pas_compte ne_tenez_pas_compte ne_tenez_plus_compte ne_tiens_plus_compte ne_pas_tenir_compte fais_abstraction faites_abstraction faire_abstraction outrepass* annul* supprim* efface* contourn* desobei* ecarte* laissez_tomber laisse_tomber cesse_de_suivre passe_outre passez_outre arrete*_de_suivre cessez_de_suivre arrete*_d_obeir n_obei* ne_respecte* ne_suivez ne_suis laisse*_de_cote laissez_de_cote mettre_de_cote abandonn* rejet* jette* ne_tenez_aucun_compte ne_tiens_aucun_compte ne_faites_plus_attention ne_fais_plus_attention n_ecoute* n_ecoutez desactiv* remplac* saut* enfrein*",
    prior:
      "precedent* anterieur* avant ci_dessus dessus prealable* existant* initiales initiaux originales passees recu* donne* systeme au_dessus plus_haut jusqu_ici jusqu_a_present d_avant t_a_donne* vous_a_donne* qu_on_t_a qu_on_vous_a de_depart auparavant",
    whole: "tout toute toutes tous",
    order:
      "instruction* consigne* regle* directive* ordre ordres prompt* invite* commande* indication* contrainte* restriction* limite* limitation* politique* principe* ligne*_directrice* protocole*",
    own: "vos tes votre ton ta securite systeme ethique* moral*",
    above:
      "tout_ce_qui_precede ce_qui_precede tout_ce_qui_est_au_dessus tout_ce_que_tu tout_ce_que_vous tout_ce_qu_on tout_ce_qui_a_ete tout_ce_qu_on_t tout_ce_qu_on_vous ce_qu_on_t_a_dit ce_qu_on_vous_a_dit ce_que_l_on_t tout_ce_qui_vient_avant ce_qui_est_ecrit_plus_haut",
    show: "revel* montr* affich* imprim* repet* divulg* donne_moi donnez_moi dis_moi dites_moi",
    prompt:
      "prompt_systeme prompt_du_systeme invite_systeme instructions_systeme instructions_du_systeme tes_instructions vos_instructions message_systeme prompt_initial instructions_initiales",
    not: "ne jamais pas n sans refus* evit* interdi* ni",
    ask: "demande demandent demandait tente tentent utilisateur utilisateurs essaie essaient attaque* injection* meme_si",
    strong:
      "ignor* oubli* neglig* fais_abstraction faites_abstraction ne_tiens_pas_compte ne_tenez_pas_compte laisse*_de_cote laissez_de_cote passe_outre passez_outre",
    talk: "texte* conversation* contexte* contenu* message* echange* discussion*",
    void: "obsolete* caduc* caduque* annule* nul nulles invalide* ne_s_appliquent_plus ne_s_applique_plus ne_valent_plus ne_comptent_plus n_ont_plus abroge* etaient_un_test perimees perimes",
    fresh: "nouvel* nouveau* vraies veritables reelles",
    be: "sont est seront sera",
    all: "tout",
  },
  pt: {
    drop: "nao_precisa_mais_seguir nao_precisa_seguir nao_preste_atencao nao_leve_em_conta nao_leve_em_consideracao nao_deve_mais_seguir deixa_de_lado ignor* esquec* desconsider* descart* desobedec* anul* apag* nao_siga nao_sigas nao_obedeca deixe_de_lado deixe_de_seguir pare_de_seguir elimin* negligenci* desprez* pare_de_obedecer deixe_de_obedecer deixa_de_obedecer passe_por_cima pass*_por_cima abandon* rejeit* joga*_fora jogue_fora nao_obedec* nao_cumpr* nao_respeit* nao_lig* nao_ligue remov* substitu*_suas pul* larga largue burl* cancel*",
    prior:
      "anterior* previa previas previo previos acima precedent* antes existent* passad* original originais inici* dad* recebid* sistema que_recebeu que_voce_recebeu que_te_deram que_lhe_deram que_foram_dad* anteriormente ate_agora de_cima antes_desta",
    whole: "tod* qualquer quaisquer",
    order:
      "instruco* instrucao regra* ordem ordens diretri* diretiva* comando* prompt* norma* orientac* restric* indicac* limitac* limite* politica* protocolo* principio*",
    own: "suas seus tuas teus sua seu vossas seguranca sistema etic* moral*",
    above:
      "tudo_acima tudo_o_que_foi tudo_que_foi o_que_foi_dito tudo_o_que tudo_que_voce o_que_esta_acima o_texto_acima tudo_anterior o_acima tudo_o_que_lhe tudo_que_lhe tudo_que_te tudo_o_que_te o_que_te_disseram o_que_lhe_disseram tudo_o_que_leu tudo_que_aprendeu tudo_o_que_veio_antes",
    show: "revel* mostr* exib* imprim* repit* divulg* diga_me me_diga me_mostre",
    prompt:
      "prompt_do_sistema prompt_de_sistema instrucoes_do_sistema suas_instrucoes mensagem_do_sistema prompt_inicial instrucoes_iniciais",
    not: "nao nunca jamais sem evit* recus* nem proib*",
    ask: "pede pedem pedir tent* usuario usuarios utilizador solicit* ataque* injecao mesmo_que",
    strong:
      "ignor* esquec* desconsider* desprez* descart* deixe_de_lado nao_leve_em_conta nao_leve_em_consideracao passe_por_cima",
    talk: "texto* conversa* contexto* conteudo* mensage* dialogo*",
    void: "obsolet* anulad* cancelad* invalid* nao_valem nao_vale_mais nao_se_aplicam sem_efeito revogad* eram_um_teste sao_um_teste ultrapassad* desatualizad*",
    fresh: "nov* verdadeir* atualizad* reais",
    be: "sao e serao sera",
    all: "tudo",
  },
  it: {
    drop: "non_devi_piu_seguire non_prestare_attenzione metti_da_parte mettete_da_parte mettere_da_parte non_considerare non_seguire_piu ignor* dimentic* trascur* scart* non_seguire non_tenere_conto non_tener_conto annull* elimin* cancell* disobbed* tralasci* sovrascriv* scord* disattend* lascia_perdere lasciate_perdere smett*_di_rispettare smett*_di_seguire smett*_di_obbedire smettila_di_seguire non_rispettare non_obbedire lascia_stare abbandon* butta* rigett* rifiuta* salta* sorvola* non_dare_retta non_badare fregatene passa_sopra cestina* rimuov* sostitui*_le_tue aggira*",
    prior:
      "date dati fornite ricevute precedent* anterior* sopra prima esistent* passat* iniziali originali ricevut* sistema che_ti_hanno_dato che_hai_ricevuto che_ti_sono_stat* finora qui_sopra di_prima in_precedenza prima_di_questa",
    whole: "tutt* qualsiasi ogni",
    order:
      "linee_guida istruzion* regol* ordin* direttiv* comand* prompt* indicazion* norm* restrizion* limit* limitazion* vincol* politic* principi* protocoll* divieti",
    own: "tue tuoi vostre vostri sue suoi tua sicurezza sistema etic* moral*",
    above:
      "tutto_cio_che tutto_quello_che quanto_sopra cio_che_precede tutto_il_precedente tutto_quanto tutto_quello_che_ti quello_che_ti_e_stato quello_che_ti_hanno cio_che_ti_hanno tutto_cio_che_viene_prima tutto_il_resto_sopra",
    show: "rivel* mostr* stamp* ripet* divulg* dimmi dammi visualizz*",
    prompt:
      "prompt_di_sistema prompt_del_sistema istruzioni_di_sistema istruzioni_del_sistema le_tue_istruzioni messaggio_di_sistema prompt_iniziale istruzioni_iniziali",
    not: "non mai senza evit* rifiut* ne viet*",
    ask: "chiede chiedono chieda tenta* cerca_di utente utenti attacc* iniezion* anche_se",
    strong:
      "ignor* dimentic* trascur* scart* tralasci* scord* lascia_perdere lasciate_perdere non_tenere_conto non_tener_conto metti_da_parte non_considerare",
    talk: "test* conversazion* contest* contenut* messagg* dialog*",
    void: "obsolet* annullat* invalid* non_valgono non_vale_piu non_si_applicano decadut* revocat* nulle nulli superat* erano_un_test sono_un_test",
    fresh: "nuov* vere veri aggiornat*",
    be: "sono e saranno sara",
    all: "tutto",
  },
  ro: {
    drop: "ignora* uita* nu_urma* nu_tine_cont anuleaza* sterge* neglija* nesocot* nu_mai_urma* nu_mai_respecta* nu_mai_asculta* nu_respecta* nu_asculta* nu_tine* nu_tineti lasa*_deoparte lasati_deoparte renunt* inceteaza*_sa_urmezi inceteaza* opreste_te arunc* elimin* suprascri* incalc* ocoles* sari_peste treci_peste trece_peste",
    prior:
      "anterioar* precedent* de_mai_sus mai_sus initiale existente dinainte de_dinainte pana_acum de_pana_acum primite primit* date de_sus",
    whole: "toate tot orice",
    order:
      "instructiuni* reguli* regul* comenzi* ordin* prompt* directiv* indicati* restrict* limit* indrumar* politic* norm* constrangeri* consemn*",
    own: "tale voastre dumneavoastra siguranta securitate sistem* etice",
    above: "tot_ce tot_ceea_ce tot_ce_ti tot_ce_vi tot_ce_ai ce_ti_s_a_spus tot_ce_s_a_spus tot_ce_e_mai_sus",
    show: "arata* dezvalui* afiseaza* repeta*",
    prompt: "promptul_de_sistem promptul_sistemului instructiunile_de_sistem",
    not: "nu niciodata fara refuz*",
    ask: "cere incearca utilizator*",
    strong: "ignora* uita* nu_tine* nesocot* neglija* lasa*_deoparte",
    talk: "text* conversati* context* continut* mesaj*",
    void: "invalid* anulat* nule depasit* nu_mai_sunt nu_se_mai_aplica nu_mai_conteaza",
    fresh: "noi noile noua reale",
    be: "sunt este",
    all: "tot totul",
  },
};
