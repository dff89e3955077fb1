export { type Baseline, baselineOf, type Summary, type Update } from "./baseline.ts";
export { type AiSdkRequest, type AiSdkStep, fromAiSdk, toAiSdk } from "./converters/ai-sdk.ts";
export { type AnthropicRequest, type AnthropicResponse, fromAnthropic, toAnthropic } from "./converters/anthropic.ts";
export {
  fromOpenAIChat,
  type OpenAIChatRequest,
  type OpenAIChatResponse,
  toOpenAIChat,
} from "./converters/openai-chat.ts";
export {
  fromOpenAIResponses,
  type OpenAIResponse,
  type OpenAIResponsesRequest,
  toOpenAIResponses,
} from "./converters/openai-responses.ts";
export { faultFrom } from "./converters/sdk-fault.ts";
export { type DeliverOptions, type Delivery, deliver, prefixOf } from "./deliver.ts";
export type { EmbedderChoice, EmbeddingModel } from "./embedder.ts";
export type { FoldInput, PrefixChange } from "./fold.ts";
export { historyOf, type PastTurn, type TurnMessages } from "./history.ts";
export type {
  Answer,
  AskOptions,
  Block,
  Fault,
  Finish,
  IdentitySlot,
  Message,
  Model,
  ModelRequest,
  ModelResult,
  Native,
  OwnToolUse,
  Permission,
  PermissionRequest,
  PreparedSession,
  PrepareResult,
  RequestSession,
  SentBody,
  ToolCall,
  ToolOffer,
  ToolResult,
  Usage,
} from "./model.ts";
export { unescapeTokens } from "./models/escape/wire-token.ts";
export type { ModelLoader } from "./models/given-model.ts";
export { modelOf } from "./models/language.ts";
export type { LanguageModel } from "./models/language-model.ts";
export { defaultModelName, type Environment, type LoadModelOptions, loadModel } from "./models/provider.ts";
export type { ReplayedBody } from "./models/replay-body.ts";
export type { ModelSources } from "./models/table/find-model.ts";
export type { ModelApi, ModelConfig, ModelEntry, ModelTable } from "./models/table/model-entry.ts";
export { type EarlierRequest, type Prediction, predict, type ReusablePrefix, reusableOf } from "./prediction.ts";
export { receiverOf } from "./providers.ts";
export { type Quote, type QuoteOptions, quoteOf } from "./quote.ts";
export { type CacheRules, isCold, type Price, type ReasoningEffort, type Receiver } from "./receiver.ts";
