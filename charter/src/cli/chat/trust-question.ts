import { extensionsNow, type Places, trustOf, trustProject } from "../../sources/trust.ts";
import { colours } from "../colour.ts";
import { oneLine } from "../columns.ts";

const { createInterface } = process.getBuiltinModule("node:readline/promises");

/**
 * Asks whoever sits at the terminal, once: yes is remembered, everything else is no. For “only this time” it gives the
 * extensions that were asked about: others are not trusted, and neither are those that changed during the question.
 */
export async function askTrust(places: Places): Promise<string | undefined> {
  const { trust, gated, changed, root } = trustOf(places);
  if (trust === "trusted" || gated.length === 0) return undefined;
  const shown = extensionsNow(places);
  const paint = colours(process.stdout);
  const because =
    trust === "changed"
      ? `Its extensions changed since you trusted it: ${changed.map(oneLine).join(", ")}.`
      : "You have not trusted it yet.";
  const lines = [
    `${paint.bold(oneLine(root))} brings words and code of its own. ${because}`,
    ...gated.map((path) => `  ${oneLine(path)}`),
    paint.dim(
      "Extensions run as code on this machine; the rest speaks to the model. AGENTS.md and CLAUDE.md are read anyway.",
    ),
  ];
  process.stdout.write(`${lines.join("\n")}\n`);
  const asking = createInterface({ input: process.stdin, output: process.stdout });
  const left = new Promise<string>((resolve) => asking.once("close", () => resolve("\n")));
  const answer = await Promise.race([asking.question("Trust it? [y]es, [o]nly this time, [N]o: "), left]);
  asking.close();
  // Whoever left the question left the cursor behind it.
  if (answer === "\n") process.stdout.write(answer);
  if (/^o(?:nly this time|nce)?$/i.test(answer.trim())) return shown;
  if (!/^y(?:es)?$/i.test(answer.trim())) return undefined;
  if (extensionsNow(places) === shown) trustProject(places, new Date().toISOString());
  else process.stdout.write("Its extensions changed while you were asked: it is not trusted. Look again.\n");
  return undefined;
}
