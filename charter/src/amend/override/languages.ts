import type { Phrases } from "./phrases.ts";
import { vocabularies } from "./vocabularies.ts";

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

/** Not every language has all the lists: a rule that needs a missing one finds nothing. */
const nothing = { strong: "", talk: "", all: "", void: "", fresh: "", be: "" };

/** Every language but English, whose rules are the same and whose words differ. */
export const languages: readonly Phrases[] = Object.entries(vocabularies).map(([language, lists]) => ({
  language,
  lists: { ...nothing, ...lists, mind, free },
  rules,
}));
