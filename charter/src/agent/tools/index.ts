export { forgetMemory, readMemory, saveMemory, updateMemory } from "./memory.ts";
export {
  modifySystemPrompt,
  readPrompt,
  updateCoreMemory,
  updateInstructions,
  updatePromptLayer,
} from "./own-prompt.ts";
export { replyName, replyToMessage } from "./reply.ts";
