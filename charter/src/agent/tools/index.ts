export { forgetMemory } from "./forget-memory.ts";
export { modifySystemPrompt } from "./modify-system-prompt.ts";
export { readMemory } from "./read-memory.ts";
export { readPrompt } from "./read-prompt.ts";
export { replyName, replyToMessage } from "./reply.ts";
export { saveMemory } from "./save-memory.ts";
export { updateCoreMemory } from "./update-core-memory.ts";
export { updateInstructions } from "./update-instructions.ts";
export { updatePromptLayer } from "./update-prompt-layer.ts";
