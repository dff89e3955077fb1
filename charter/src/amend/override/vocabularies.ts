import type { Phrases } from "./phrases.ts";

/**
 * Word lists for the languages in which they were tested on public texts. Accents are left out where the screen leaves them out.
 */
export const vocabularies: Readonly<Record<string, Vocabulary>> = {
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
  de: {
    drop: "nicht_mehr_befolgen nicht_mehr_folgen nicht_langer_befolgen nicht_mehr_beachten ausser_kraft ignorierst lasse_ausser_acht ignorier* vergiss vergesst vergessen missacht* beacht*_nicht ubergeh* uberschreib* verwirf verwerf* losch* missachte lass_ausser_acht lassen_sie_ausser_acht befolg*_nicht folge_nicht umgeh* annullier* ausser_acht setze_ausser_kraft hor*_auf_zu_befolgen aufheb* heb*_auf pfeif*_auf pfeifen_sie_auf hor*_nicht_auf hore_nicht_mehr folge_nicht_mehr folgen_sie_nicht befolge_nicht setz*_dich_uber setz*_sich_uber lass_beiseite lasse_beiseite leg*_beiseite schieb*_beiseite streich* tilg* entfern* hinweg brich brecht uberspring* vernachlassig* lehn*_ab halte_dich_nicht_an halten_sie_sich_nicht_an kummer*_dich_nicht ersetz*",
    prior:
      "vorherig* vorig* bisherig* obig* fruher* vorangegangen* vorangehend* vorstehend* vorhergehend* oben zuvor bestehend* ursprunglich* vorgegeben* gegeben* erhalten* von_oben bislang bisher davor vor_dieser vor_diesem gegebenen erteilt* anfanglich*",
    whole: "alle allen saemtliche samtlich* jede jegliche*",
    order:
      "anweisung* instruktion* befehl* regel* richtlinie* vorgabe* anordnung* prompt* systemprompt* anleitung* weisung* systemanweisung* beschrankung* direktive* auftrag* einschrankung* begrenzung* grenze* grundsatz* grundsatze leitlinie* verbot* bestimmung* schranken",
    own: "deine* ihre* eure* dein system sicherheit* ethisch*",
    above:
      "systemregel* systemanweisung* deine_regeln alles_oben alles_obige das_obige alles_bisherige alles_vorherige alles_was_dir alles_was_du alles_was_ich alles_zuvor alles_davor alles_was_ihnen alles_was_oben alles_was_man was_man_dir was_dir_gesagt was_ihnen_gesagt alles_vorhergehende alles_gesagte alles_was_vor was_vor_dieser was_hier_oben alles_weiter_oben sicherheitsregel* sicherheitsrichtlinie* sicherheitsvorgabe* sicherheitseinschrankung* sicherheitsanweisung*",
    show: "zeig* verrat* offenbar* gib* nenn* druck* wiederhol* enthull* preis",
    prompt: "systemprompt* system_prompt* systemanweisung* deine_anweisungen ihre_anweisungen systemnachricht*",
    not: "nicht niemals nie kein* ohne weiger* vermeid* verhinder* weder",
    notAfter: "nicht niemals nie",
    ask: "bittet auffordert versucht versuchen nutzer benutzer anwender angriff* injektion* selbst_wenn auch_wenn",
    strong: "ignorier* vergiss vergesst vergessen missacht* ubergeh* ausser_acht pfeif*_auf",
    talk: "text* gesprach* kontext* inhalt* nachricht* unterhaltung*",
    void: "ungultig nichtig hinfallig veraltet aufgehoben uberholt ausser_kraft gelten_nicht_mehr gilt_nicht_mehr nicht_mehr_gultig gelten_nicht_langer waren_ein_test unwirksam gegenstandslos",
    fresh: "neue* neuen aktualisierte* wahre* eigentliche* tatsachliche*",
    be: "sind ist lauten lautet",
    all: "alles",
  },
  ru: {
    drop: "больше_не_обязан*_следовать не_обязан*_следовать больше_не_нужно_следовать отложи* не_принимай*_во_внимание не_соблюдай* не_придерживайся игнор* проигнор* забуд* забы* не_обращай* не_обращай*_внимания не_обращайте_внимания не_следуй* пренебре* отмени* отброс* не_учитывай* обойди* удали* сотри* отбрось* перестань*_следовать не_выполняй* нарушь перестан*_выполнять перестан*_следовать перестан*_соблюдать перестан*_слушать прекрати*_следовать прекрати*_выполнять не_слушай* не_подчиняй* не_руководствуй* плюнь наплюй забей* нарушь* нарушай* отверг* аннулир* сбрось* сброс* обнули* очисти*_память замени*_свои выбрось* выкинь* оставь*_без_внимания переопредели* пропусти*",
    prior:
      "системы предыдущ* прежн* предшествующ* вышеуказан* вышеприведен* выше ранее ранн* прошл* исходн* первоначальн* полученн* данны* системн* до_этой до_этого данные_выше изначальн* начальн* имеющ* заданн*",
    whole: "все всех всем всеми любы* всю",
    order:
      "инструкц* указани* правил* команд* приказ* директив* промпт* распоряжени* предписани* ограничени* запрет* рамк* политик* норм* принцип* протокол* наставлени*",
    own: "свои своих твои ваши твоих ваших безопасности системн* этическ* моральн*",
    above:
      "все_выше все_что_выше обо_всем все_что_было все_вышесказанное все_вышеперечисленное все_что_тебе все_что_ты всем_что все_вышеизложенное все_сказанное все_что_тебе_говорили все_что_вам что_тебе_говорили что_вам_говорили все_до_этого все_предыдущее все_прежнее все_ранее",
    show: "покажи* раскрой* выведи* напечатай* повтори* скажи* расскажи*",
    prompt: "системн*_промпт* системн*_инструкц* системн*_сообщени* свои_инструкции твои_инструкции свой_промпт",
    not: "не никогда нельзя без отказ* избега* запрещ* ни",
    ask: "просит попросит просят пытается пытаются пользовател* атак* инъекц* даже_если",
    strong: "игнор* проигнор* забуд* забы* не_обращай* не_учитывай* отброс* отбрось* пренебре*",
    talk: "текст* разговор* контекст* содержани* сообщени* диалог* переписк*",
    void: "недействительн* отменен* аннулирован* устарел* неактуальн* не_действуют больше_не_действуют не_имеют_силы утратил* были_тестом",
    fresh: "нов* настоящ* обновлен*",
    be: "таковы это следующие такие",
    all: "все всем",
  },
  ar: {
    drop: "تجاهل* وتجاهل* انس انسى انسي تناس* تجاوز* لا_تتبع الغ* اهمل* اهمال احذف* تغاض* اترك لا_تلتزم اضرب_بعرض_الحائط توقف_عن_اتباع توقف_عن_الالتزام كف_عن_اتباع لا_تطع لا_تنفذ لا_تهتم لا_تعبا لا_تكترث تخل_عن تخلي تخط* خالف* اكسر* ازل* امسح* اطرح* دعك_من نح_جانبا استبدل_تعليماتك ابطل* عطل* ارم*",
    prior:
      "السابق* سابق* اعلاه الماضي* المذكور* الاولي* قبل الاصلي* المتقدم* حتى_الان السالف* الموجود* المعطا* سابقا من_قبل قبل_هذا التي_تلقيتها",
    whole: "جميع كل كافه كافة اي",
    order:
      "التعليمات تعليمات* الاوامر اوامر* القواعد قواعد* التوجيهات توجيهات* الارشادات ارشادات* القيود الموجه المطالب* بالتعليمات والتعليمات الموجهات المطالبات ارشاداتك حدودك قيود* الحدود حدود السياسات سياسات* المبادئ الضوابط الاحكام الممنوعات",
    own: "الخاصة لديك الامان السلامة الامنية النظام الاخلاقية",
    above:
      "قواعدك تعليماتك اوامرك توجيهاتك كل_ما_سبق ما_سبق كل_شيء كل_ما_قيل ما_ورد_اعلاه ارشاداتك قيودك حدودك كل_ما_قيل_لك ما_قيل_لك كل_ما_تعلمته كل_ما_اخبروك جميع_ما_سبق",
    show: "اكشف* اعرض* اطبع* اظهر* كرر* اخبرني",
    prompt: "موجه_النظام تعليمات_النظام مطالبة_النظام رسالة_النظام",
    not: "لا لن ابدا عدم دون ممنوع ارفض",
    ask: "المستخدم* يطلب طلب يحاول محاول* هجوم",
    strong: "تجاهل* وتجاهل* انس انسى انسي تناس* تغاض* لا_تتبع اهمل* لا_تهتم",
    talk: "النص نص النصوص المحادث* السياق المحتوى الرسائل الكلام الحوار",
    void: "ملغا* لاغي* باطل* لم_تعد_سار* لا_تنطبق قديمة منتهي*",
    fresh: "الجديد* جديد* الحقيقي*",
    be: "هي هو",
    all: "كل_شيء",
  },
  hi: {
    drop: "अनदेखा* नजरअंदाज* नज़रअंदाज़* भूल* उपेक्षा* नजरंदाज* अनदेखी* अवहेलना* रद्द* दरकिनार* पालन_न* मत_मान* न_मान* छोड़* मिटा* हटा* त्याग* तोड़* ठुकरा* ध्यान_न* ध्यान_मत* खारिज* फेंक* उल्लंघन* मानना_बंद* पालन_मत* पालन_करना_बंद* नज़रअंदाज* नज़रंदाज*",
    prior: "पिछल* पूर्व* ऊपर* उपरोक्त* पहल* मौजूदा मूल इससे_पहले अब_तक दिए_गए शुरुआत* प्रारंभिक",
    whole: "सभी सब सारे सारी हर तमाम समस्त",
    order:
      "निर्देश* आदेश* नियम* हिदायत* प्रॉम्प्ट* अनुदेश* कमांड* दिशानिर्देश* इंस्ट्रक्शन* पाबंद* प्रतिबंध* सीमा* बंधन* नीति* सिद्धांत* रोक*",
    own: "अपने अपनी आपके सुरक्षा सिस्टम नैतिक",
    above:
      "ऊपर_दिए_गए_सभी सब_कुछ ऊपर_की_सभी_बातें जो_कुछ_तुम्हें जो_कुछ_आपको जो_कुछ_भी जो_बताया_गया तुम्हें_बताया आपको_बताया उपरोक्त_सब",
    show: "बताओ बताएं दिखाओ दिखाएं प्रकट* उजागर* प्रिंट*",
    prompt: "सिस्टम_प्रॉम्प्ट* सिस्टम_निर्देश*",
    not: "न ना मत नहीं कभी_नहीं",
    notAfter: "मत नहीं न",
    ask: "उपयोगकर्ता* प्रयास* कहता कहे",
    strong: "अनदेखा* नजरअंदाज* नज़रअंदाज़* भूल* उपेक्षा* अनदेखी* दरकिनार* मत_मान* छोड़*",
    talk: "पाठ बातचीत संदर्भ सामग्री संदेश* वार्तालाप टेक्स्ट",
    void: "अमान्य रद्द_हो* लागू_नहीं पुराने_हो* निरस्त",
    fresh: "नए नये असली",
    be: "हैं है",
    all: "सब_कुछ सब",
  },
  ja: {
    drop: "従う必要はありません 従う必要はない 従う必要がな 従わないで 従わなく 脇に置 守らな 守る必要 無視 忘れ 破棄 無効 従わな 従うな 取り消 取消 リセット 上書き 無かったこと なかったこと 消去 削除 放棄 気にせず 捨て 気にしないで 気にしなくて 従うのをやめ 従うのは止め 守るのをやめ 守らない 守らなく 従わず 取り除 外して 解除 突破 破って 破れ スキップ 置き換え 考慮しない 考慮せず 聞かない 聞くな 放って 捨てろ 消して 消せ 白紙",
    prior:
      "前述 与えられた さっき 以前 前の 前に 上記 これまで 今まで 先ほど さきほど 先の 上の 既存 それまで ここまで 過去 最初 元の 従来 事前 システム 与えられ 受け取 より前 の前 上にある 既に 前回 いままで 先程 当初 もともと 元々 現在",
    whole: "すべて 全て 全部 あらゆる 一切 全",
    order:
      "指示 命令 ルール 規則 プロンプト 指令 ガイドライン 制約 制限 インストラクション 指図 コマンド 指針 指導 方針 原則 ポリシー 規定 規約 セキュリティ制限 安全制限 フィルター 縛り 禁止事項",
    own: "自分の あなたの 君の お前の セキュリティ 安全 システム 倫理",
    above:
      "言われたこと 言ったこと 上記は 前述の内容 今までの話 上記すべて 上記の内容 これまでのこと 今までのこと 上記を 以上を 言われた事 聞いたこと 教わったこと 前の文章 上の文章 上記の文章 前の内容 それまでのすべて これより前",
    show: "教え 表示 出力 開示 明かし 見せ 公開",
    prompt: "システムプロンプト システム指示 システムメッセージ 初期プロンプト 初期指示",
    not: "決して 絶対に",
    notAfter:
      "しない ないで 禁止 されない せず しません してはいけ してはなら するよう求め するように求め するよう指示 するように指示 しろと言われ よう頼 よう要求 する要求 する試み するリクエスト ません られない",
    ask: "ユーザー 攻撃 試み インジェクション たとえ",
    strong: "無視 忘れ 破棄 気にしないで 気にせず 脇に置 捨て 取り消 なかったこと",
    talk: "文章 テキスト 内容 会話 文脈 コンテキスト メッセージ やり取り",
    void: "テストです テストでした 無効です 無効になり 無効とな 無効である 失効 もう有効では もはや有効 適用されません 古いもの",
    fresh: "新しい 新たな 本当の 真の",
    be: "は",
    all: "すべて 全て 全部",
  },
  ko: {
    drop: "따를필요가없 따를필요없 제쳐 따르지마 지키지마 지킬필요 무시 잊어 잊으 잊고 잊기 따르지말 따르지않 취소 폐기 무효 삭제 덮어 버려 신경쓰지 우회 초기화 망각 지워 지우 어겨 어기 위반 깨 제거 벗어나 따르는것을멈 따르지않아도 지키지않아도 지키지말 듣지마 듣지말 건너뛰 넘어가 내버려 무효화 대체 배제 개의치 중단 그만따르 해제",
    prior:
      "주어진 앞에서 이전 앞선 앞의 위의 위에 지금까지 기존 앞서 상기 원래 과거 종전 처음 시스템 전의 먼저 받은 줄앞 앞에 이전에 여태 여태까지 이제까지 그전 앞쪽",
    whole: "모든 모두 전부 일체 다",
    order:
      "지시 명령 규칙 지침 프롬프트 가이드라인 안내 제한 제약 정책 원칙 방침 규정 금지 보안제한 안전제한 필터 약관 법칙",
    own: "너의 당신의 네 보안 안전 시스템 윤리",
    above:
      "들은모든 말한모든 위의것 위내용 위내용을 위의모든 이전의모든 앞의모든 위의내용 들은모든것 들은것 들었던것 말한것 배운모든 위의글 앞의글 위글 앞선내용 이전내용",
    show: "알려 보여 출력 공개 말해 표시 인쇄",
    prompt: "시스템프롬프트 시스템지시 시스템메시지 초기지시 초기프롬프트",
    not: "절대 결코",
    notAfter:
      "하지마 하지말 하지않 할수없 해서는안 해선안 하면안 하라는요청 하라고요청 하라는지시 하라고하 하도록요청 하려는시도 하라는시도 되지않 지않 지마 지말 하려고",
    ask: "사용자 공격 시도 인젝션 비록",
    strong: "무시 잊어 잊으 잊고 신경쓰지 제쳐 버려 개의치",
    talk: "글 텍스트 대화 맥락 내용 메시지 문장",
    void: "테스트입니다 테스트였 무효입니다 무효다 무효가 더이상유효 효력이없 적용되지",
    fresh: "새로운 새 진짜",
    be: "는 은",
    all: "모든것 전부 모두",
  },
  zh: {
    drop: "不再需要遵守 不需要遵守 不必遵守 不用遵守 无需遵守 不再受 不用管 别管 不要管 放弃 摒弃 忽略 忽視 忽视 无视 無視 忘记 忘記 忘掉 忘了 不要理会 不要理會 别理会 不用理会 不必理会 无需理会 抛开 丢弃 拋棄 抛弃 不要遵守 不要遵循 不再遵守 不再遵循 停止遵循 停止遵守 取消 清除 绕过 繞過 推翻 违反 作废 作廢 撇开 略过 略過 不顾 舍弃 不要再遵守 不要再遵循 别再遵守 別再遵守 不再执行 停止执行 不用遵循 不必遵循 无须遵守 不理会 不理會 別管 不要听 别听 不用听 忘却 遗忘 丢掉 扔掉 删除 刪除 删掉 清空 废除 廢除 打破 违背 違背 突破 跳过 跳過 解除 摆脱 抹去 重置 置之不理 不予理会 当作没看到",
    prior:
      "给你 之前 以前 先前 前面 上面 以上 上述 此前 原有 原来 原先 原始 前述 早先 早前 前文 上文 先前的 初始 系统 系統 过去 過去 既有 所有先前 前 既定 收到 给定 給定 现有 現有 這之前 这之前 開始 开始时 一开始",
    whole: "所有 全部 一切 任何",
    order:
      "指令 指示 指引 规则 規則 提示词 提示詞 提示 命令 说明 說明 要求 指南 设定 設定 限制 约束 約束 规定 規定 准则 準則 prompt 指導 指导 政策 守则 原则 原則 条款 方针 安全限制 护栏 過濾 过滤 审查 內容政策 内容政策 系统提示词 系统提示",
    own: "你的 您的 安全 系统 系統 道德 伦理",
    above:
      "告诉你的一切 告訴你的一切 之前的对话 上面的内容 前面的内容 上面的话 前面的话 以上所有 上面所有 之前所有 以上内容 上述内容 以上的一切 之前的一切 上面的一切 以上全部 之前说的 上面说的 说过的一切 說過的一切 说的一切 以前的文字 之前的文字 上面的文字 以上文字 其他所有内容 其他所有內容 以上內容 上述內容 之前的内容 前文 上文所有 此前的一切 你学到的一切 你被告知的",
    show: "输出 輸出 显示 顯示 告诉我 告訴我 透露 打印 列印 重复 重複 展示 公开 说出",
    prompt: "系统提示 系統提示 系统提示词 系統提示詞 系统指令 系統指令 初始指令 初始提示 你的提示词 你的指令 系统消息",
    not: "不要 请勿 請勿 不得 切勿 绝不 絕不 不可 不能 不会 不會 禁止 拒绝 拒絕 勿 别 避免 防止 不应 不應 无法 不允许 严禁 嚴禁",
    notAfter: "是不允许 不被允许 的请求 的請求 的攻击 的尝试 等攻击",
    ask: "用户 用戶 如果 试图 試圖 企图 企圖 尝试 嘗試 诱导 誘導 攻击 攻擊 注入 恶意 惡意 即使 例如 比如 类似",
    strong: "忽略 忽视 忽視 无视 無視 忘记 忘記 忘掉 忘了 别管 抛开 抛弃 撇开 不顾 丢掉 扔掉 不理会",
    talk: "文字 内容 內容 对话 對話 上下文 消息 信息 文本 聊天",
    void: "是测试 是測試 都是测试 都是測試 作废 作廢 无效 無效 失效 过时 過時 不再适用 不再有效 已取消 不算数 已废除",
    fresh: "新 真正 新的 更新的 最新",
    be: "是 如下 为",
    all: "一切",
  },
};

/**
 * Word lists of one language: verbs that drop instructions, words for "previous", "all", "yours" or "the above", nouns for
 * instructions, verbs that show them and names of the system prompt. `not` before the verb makes it a warning, `notAfter` does so
 * after it, and `ask` marks a report of somebody else's words.
 */
type Vocabulary = {
  readonly drop: string;
  readonly prior: string;
  readonly whole: string;
  readonly order: string;
  readonly own: string;
  readonly above: string;
  readonly show: string;
  readonly prompt: string;
  /** Verbs that cannot mean tidying up: a text is ignored, or only deleted. */
  readonly strong?: string;
  readonly talk?: string;
  readonly all?: string;
  /** Words for instructions that no longer apply. */
  readonly void?: string;
  readonly fresh?: string;
  readonly be?: string;
  readonly not: string;
  readonly notAfter?: string;
  readonly ask: string;
};

const mind =
  "ai ia ki ии 人工智能 助手 人工知能 アシスタント 인공지능 asistente assistant assistente assistent* modelo modele modell* model модел* 模型 モデル 모델 chatbot бот ассистент*";
const free =
  "sin_restricciones sin_ninguna_restriccion sin_limites sin_filtros sin_censura sans_restriction* sans_aucune_restriction sans_filtre* sans_limite* sans_censure ohne_einschrankung* ohne_jegliche_einschrankung* ohne_beschrankung* ohne_filter ohne_regeln sem_restricoes sem_nenhuma_restricao sem_limites sem_filtros sem_censura без_ограничений без_каких_либо_ограничений без_цензуры без_фильтров 没有任何限制 没有限制 不受限制 不受任何限制 不受约束 无限制 沒有任何限制 没有任何道德 不受任何规则 制限なし 制限のない 制約のない 制限されない 無制限 제한없는 제한이없는 제약이없는 제한없이";
const rules: Phrases["rules"] = {
  unrestricted: ["@mind ~2 @free", "@free ~2 @mind"],
  "ignore-previous": [
    "@drop ~2 @prior ~2 @order",
    "@drop ~2 @order ~2 @prior",
    "@prior ~2 @order ~2 @drop",
    "@order ~2 @prior ~2 @drop",
    "@strong ~1 @talk ~1 @prior",
    "@strong ~1 @prior ~1 @talk",
    "@prior ~1 @talk ~1 @strong",
    "@talk ~1 @prior ~1 @strong",
  ],
  "ignore-all": [
    "@drop ~1 @whole ~1 @order",
    "@whole ~1 @order ~1 @drop",
    "@drop ~1 @above",
    "@above ~1 @drop",
    "@strong ~0 @order =",
    "@order ~0 @strong =",
    "@strong ~0 @all =",
    "@all ~0 @strong =",
  ],
  "rules-void": [
    "@prior ~1 @order ~2 @void",
    "@order ~1 @prior ~2 @void",
    "@above ~2 @void",
    "@own ~1 @order ~1 @void",
  ],
  "new-instructions": [
    "@own ~1 @fresh ~1 @order ~0 @be",
    "@fresh ~0 @order ~0 @own ~0 @be",
    "@own ~1 @order ~0 @fresh ~0 @be",
  ],
  "ignore-own-rules": [
    "@drop ~1 @own ~1 @order",
    "@own ~1 @order ~1 @drop",
    "@drop ~0 @order ~0 @own",
    "@drop ~1 @prompt",
    "@prompt ~1 @drop",
  ],
  "reveal-prompt": ["@show ~1 @prompt", "@prompt ~1 @show"],
};

/** Empty lists, for languages that lack some: a rule that needs a missing list finds nothing. */
const nothing = { strong: "", talk: "", all: "", void: "", fresh: "", be: "" };

/** Every language but English: their rules are the same, and only the words differ. */
export const languages: readonly Phrases[] = Object.entries(vocabularies).map(([language, lists]) => ({
  language,
  lists: { ...nothing, ...lists, mind, free },
  rules,
}));
