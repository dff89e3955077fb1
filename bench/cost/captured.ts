import type { Message, ModelRequest } from "../../charter/src/delivery/model.ts";
import type { Block } from "./cache-sim.ts";
import {
  callBlock,
  inputBlock,
  marked,
  replyBlock,
  resultBlock,
  systemBlock,
  toolsBlock,
  updateBlock,
} from "./strategy.ts";

/** A request of the runtime as the simulator reads it. */
export function blocksOf({ tools, system, messages }: ModelRequest): Block[] {
  return [
    ...(tools.length === 0 ? [] : [toolsBlock(tools)]),
    ...system.map(({ text, breakpoint }) => (breakpoint ? marked(systemBlock(text)) : systemBlock(text))),
    ...messages.flatMap((message) => {
      const blocks = messageBlocks(message);
      return message.breakpoint ? [...blocks.slice(0, -1), ...blocks.slice(-1).map(marked)] : blocks;
    }),
  ];
}

function messageBlocks(message: Message): Block[] {
  switch (message.role) {
    case "system":
      return [updateBlock(message.text)];
    case "user":
      return [inputBlock(message.text)];
    case "tool":
      return message.results.map(({ output }) => resultBlock(output));
    case "assistant":
      return [...(message.text === "" ? [] : [replyBlock(message.text)]), ...message.calls.map(callBlock)];
  }
}
