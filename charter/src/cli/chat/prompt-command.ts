import { slotText } from "../../delivery/identity-text.ts";
import { loadReceiverTokenizer } from "../../delivery/receiver-tokenizer.ts";
import { plainText } from "../../operations/print/plain-text.ts";
import { table } from "../../operations/print/table.ts";
import { counted, Problem } from "../../prompt/problem.ts";
import type { Screen } from "../terminal/screen.ts";
import type { SlashCommand } from "../terminal/slash-command.ts";
import { output } from "./output.ts";
import type { Talk } from "./talk.ts";

/** The prompt, whole: as the next request would have it, or as the last one really had it. */
export function promptCommand(talk: Talk, screen: Screen): SlashCommand {
  return {
    name: "prompt",
    usage: "[table|sent]",
    summary: "show the next prompt, a table of its sections, or what was sent last",
    run: async (words) => {
      if (words === "sent") return sent(talk, screen);
      if (words !== "" && words !== "table")
        throw new Problem(
          "usage",
          `/prompt does not understand “${words}”.`,
          "Say /prompt, /prompt table or /prompt sent.",
        );
      const prompt = await talk.nextPrompt();
      const tokenizer = await loadReceiverTokenizer(talk.model().receiver.tokenizer);
      if (words === "table") return table(prompt, tokenizer, output(screen)).trimEnd().split("\n");
      const { total } = prompt.tokens(tokenizer);
      const about = `${total} tokens (${tokenizer.exact ? "exact" : "estimated"}). By section: /prompt table. What was really sent: /prompt sent.`;
      return [...plainText(prompt.text).split("\n"), screen.paint.dim(about)];
    },
  };
}

async function sent({ store, lastTurn }: Talk, { paint }: Screen): Promise<string[]> {
  const turn = await lastTurn();
  if (turn === undefined) return ["Nothing was sent in this session yet."];
  const { step, receipt, slots } = await store.steps.replay(turn);
  const { history } = receipt;
  const lines = slots.flatMap(({ slot, text }, index) => {
    const at = receipt.slots[index]?.message;
    const where = at === undefined ? slotText(slot, receipt) : `${slot}, message ${at + 1}`;
    return [paint.cyan(`--- ${where}`), ...plainText(text).split("\n")];
  });
  const messages = history ? `, after ${counted(history.messages, "message")} of history` : "";
  return [...lines, paint.dim(`Turn ${turn}, step ${step}, to ${receipt.receiver ?? "nobody"}${messages}.`)];
}
