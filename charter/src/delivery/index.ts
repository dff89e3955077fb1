export { type Baseline, baselineOf, type Summary, type Update } from "./baseline.ts";
export { type DeliverOptions, type Delivery, deliver } from "./deliver.ts";
export type { PrefixChange } from "./fold.ts";
export { historyOf, type PastTurn, type TurnMessages } from "./history.ts";
export type {
  Answer,
  AskOptions,
  Block,
  Fault,
  Finish,
  Message,
  Model,
  ModelResult,
  Request,
  ToolCall,
  ToolOffer,
  ToolResult,
  Usage,
} from "./model.ts";
export type { ModelLoader } from "./models/given-model.ts";
export { modelOf } from "./models/language.ts";
export type { LanguageModel } from "./models/language-model.ts";
export {
  defaultModelName,
  type Environment,
  type LoadModelOptions,
  loadModel,
  standInName,
} from "./models/provider.ts";
export { type EarlierRequest, type Prediction, predict, type ReusablePrefix, reusableOf } from "./prediction.ts";
export { defaultModelOf, providerNames, providersAsOf, receiverOf } from "./providers.ts";
export { type Quote, type QuoteOptions, quoteOf } from "./quote.ts";
export type { CacheRules, Price, Receiver } from "./receiver.ts";
export { quoteInSession } from "./session-quote.ts";
export { loadTokenizer, tokenizerNames } from "./tokenizer.ts";
