export { type Baseline, baselineOf, type Summary, type Update } from "./baseline.ts";
export { type Delivering, type Delivery, deliver } from "./deliver.ts";
export type { Became } from "./fold.ts";
export { historyOf, type PastTurn, type Stretch } from "./history.ts";
export type {
  Answer,
  Asked,
  Asking,
  Block,
  Fault,
  Finish,
  Message,
  Model,
  Request,
  ToolCall,
  ToolOffer,
  ToolResult,
  Usage,
} from "./model.ts";
export { modelOf } from "./models/language.ts";
export { defaultModelName, type Environment, type Loading, loadModel, standInName } from "./models/provider.ts";
export { type Earlier, type Prediction, predict, type Reusable, reusableOf } from "./prediction.ts";
export { defaultModelOf, providerNames, providersAsOf, receiverOf } from "./providers.ts";
export { type Quote, type Quoting, quoteOf } from "./quote.ts";
export type { CacheRules, Price, Receiver } from "./receiver.ts";
export { quoteInSession } from "./session-quote.ts";
export { loadTokenizer, tokenizerNames } from "./tokenizer.ts";
