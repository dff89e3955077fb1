export { expectPrompt, type PromptExpectation } from "./expect-prompt.ts";
export { expectRequest, type RequestExpectation, systemTextOf, transcriptOf } from "./expect-request.ts";
export {
  type ClockStep,
  type MemoryStoreOptions,
  memoryStore,
  replyOf,
  type TestClock,
  testClock,
} from "./fixtures.ts";
export {
  callsTools,
  failsWith,
  type HangOptions,
  hangsUntilAborted,
  type ScriptedCall,
  type ScriptedModel,
  type ScriptedModelOptions,
  type ScriptFunction,
  type ScriptLine,
  scriptedModel,
} from "./scripted-model.ts";
