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
export { faultFrom } from "./converters/sdk-call.ts";
export { type Quote, type QuoteOptions, quoteOf } from "./cost.ts";
export { type DeliverOptions, type Delivery, deliver, prefixOf } from "./deliver.ts";
export type { EmbedderChoice, EmbeddingModel } from "./embedder.ts";
export type { FoldInput, PrefixChange } from "./fold.ts";
export { historyOf, type PastTurn, type TurnMessages } from "./history.ts";
export type {
  Answer,
  AskOptions,
  Block,
  DroppedReasoning,
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
export { unescapeTokens } from "./models/escape.ts";
export type { ModelSources } from "./models/find-model.ts";
export type { ModelLoader } from "./models/language.ts";
export { modelOf } from "./models/language.ts";
export type { LanguageModel, ModelApi, ModelConfig, ModelEntry, ModelTable } from "./models/model-entry.ts";
export { defaultModelName, type Environment, type LoadModelOptions, loadModel } from "./models/provider.ts";
export type { ReplayedBody } from "./models/replay-body.ts";
export { type EarlierRequest, type Prediction, predict, type ReusablePrefix, reusableOf } from "./prediction.ts";
export { type CacheRules, isCold, type Price, type ReasoningEffort, type Receiver, receiverOf } from "./receiver.ts";
