export { type Conversation, converse } from "./terminal/conversation.ts";
export { givenLines, type Interrupts, type Lines, pipedLines } from "./terminal/lines.ts";
export { createScreen, type Output, type Paint, type Screen, type Showing } from "./terminal/screen.ts";
export { helpLines, type SlashCommand } from "./terminal/slash-command.ts";
export { type Typing, typedLines } from "./terminal/typed-lines.ts";
