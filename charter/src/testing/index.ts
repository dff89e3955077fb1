export { expectPrompt, type PromptExpectation } from "./expect-prompt.ts";
export { expectRequest, type RequestExpectation, systemTextOf, transcriptOf } from "./expect-request.ts";
export {
  type ClockStep,
  callsTools,
  failsWith,
  type HangOptions,
  hangsUntilAborted,
  type MemoryStoreOptions,
  memoryStore,
  replyOf,
  type ScriptedCall,
  type ScriptedModel,
  type ScriptedModelOptions,
  type ScriptFunction,
  type ScriptLine,
  scriptedModel,
  type TestClock,
  testClock,
} from "./scripted-model.ts";
export type { StrictCheck } from "./strict/request.ts";
export {
  type StrictAnswer,
  type StrictFinding,
  type StrictLine,
  type StrictOptions,
  type StrictRequest,
  type StrictServer,
  type StrictStart,
  startsOf,
  strict,
} from "./strict/strict.ts";
