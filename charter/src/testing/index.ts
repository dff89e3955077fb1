export { type ClockStep, type TestClock, testClock } from "./clock.ts";
export { expectPrompt, type PromptExpectation } from "./expect-prompt.ts";
export { expectRequest, type RequestExpectation } from "./expect-request.ts";
export { type MemoryStoreOptions, memoryStore } from "./memory-store.ts";
export { replyOf } from "./reply.ts";
export { systemTextOf, transcriptOf } from "./request-text.ts";
export {
  callsTools,
  failsWith,
  type HangOptions,
  hangsUntilAborted,
  type ScriptedCall,
  type ScriptFunction,
  type ScriptLine,
} from "./script-line.ts";
export { type ScriptedModel, type ScriptedModelOptions, scriptedModel } from "./scripted-model.ts";
