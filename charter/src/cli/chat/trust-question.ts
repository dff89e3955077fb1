import { extensionsFingerprint, type ProjectPlaces, projectTrust, trustProject } from "../../sources/trust/trust.ts";
import { colours } from "../print/colour.ts";
import { oneLine } from "../print/columns.ts";
import { wrapText } from "../terminal/wrap.ts";

/** Shows the lines, then asks; nothing when nobody answered. */
export type AskBelow = (lines: readonly string[], question: string) => Promise<string | undefined>;

/**
 * Asks whoever sits at the terminal, once: yes is remembered, everything else is no. For “only this time” it gives the
 * extensions that were asked about: others are not trusted, and neither are those that changed during the question.
 */
export async function askTrust(places: ProjectPlaces, ask: AskBelow): Promise<string | undefined> {
  const { trust, gated, changed, root } = projectTrust(places);
  if (trust === "trusted" || gated.length === 0) return undefined;
  const shown = extensionsFingerprint(places);
  const paint = colours(process.stdout);
  const because =
    trust === "changed"
      ? `Its extensions changed since you trusted it: ${changed.map(oneLine).join(", ")}.`
      : "You have not trusted it yet.";
  const risk =
    "Extensions run as code on this machine; the rest speaks to the model. AGENTS.md and CLAUDE.md are read anyway.";
  const lines = [
    ...fitted(`${paint.bold(oneLine(root))} brings words and code of its own. ${because}`),
    ...gated.map((path) => `  ${oneLine(path)}`),
    ...fitted(risk).map(paint.dim),
  ];
  const answer = ((await ask(lines, "Trust it? [y]es, [o]nly this time, [N]o: ")) ?? "").trim();
  if (/^o(?:nly this time|nce)?$/i.test(answer)) return shown;
  if (!/^y(?:es)?$/i.test(answer)) return undefined;
  if (extensionsFingerprint(places) === shown) trustProject(places, new Date().toISOString());
  else process.stdout.write("Its extensions changed while you were asked: it is not trusted. Look again.\n");
  return undefined;
}

function fitted(text: string): string[] {
  return wrapText(text, process.stdout.columns ?? Number.POSITIVE_INFINITY);
}

/** Where no conversation has begun yet. */
export async function askFirst(lines: readonly string[], question: string): Promise<string | undefined> {
  process.stdout.write(`${lines.join("\n")}\n`);
  const { createInterface } = process.getBuiltinModule("node:readline/promises");
  const asking = createInterface({ input: process.stdin, output: process.stdout });
  const left = new Promise<undefined>((resolve) => asking.once("close", () => resolve(undefined)));
  const answer = await Promise.race([asking.question(question), left]);
  asking.close();
  // Whoever left the question left the cursor behind it.
  if (answer === undefined) process.stdout.write("\n");
  return answer;
}
