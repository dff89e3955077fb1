import { receiverChangeQuote } from "../../delivery/session-quote.ts";
import { wrapText } from "../../operations/print/wrap.ts";
import type { Screen } from "../terminal/screen.ts";
import type { SlashCommand } from "../terminal/slash-command.ts";
import type { Talk } from "./talk.ts";

/** Shows the model, or goes on with another: the conversation stays, and what that costs is said. */
export function modelCommand(talk: Talk, screen: Screen): SlashCommand {
  return {
    name: "model",
    usage: "[provider/model]",
    summary: "show the model, or go on with another in the same session",
    run: async (words) => {
      const before = talk.model().receiver.name;
      if (words !== "") await talk.useModel(words);
      const { receiver } = talk.model();
      const now = `${talk.agent} answers with ${receiver.name}.`;
      if (receiver.name === before) return [now];
      const { says } = receiverChangeQuote(receiver, await talk.historyFor(receiver));
      return [now, ...wrapText(says, screen.width)];
    },
  };
}
