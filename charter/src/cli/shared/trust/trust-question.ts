import { projectFingerprint, projectTrust, type TrustOptions, trustProject } from "../../../sources/trust/trust.ts";
import { colours } from "../../print/colour.ts";
import { oneLine } from "../../print/columns.ts";
import { wrapText } from "../../terminal/wrap.ts";
import { lookAnew } from "./run.ts";

/** Shows the lines, then asks; nothing when nobody answered. */
export type AskBelow = (lines: readonly string[], question: string) => Promise<string | undefined>;

/**
 * Asks whoever sits at the terminal, once: yes is remembered, everything else is no. What changes during the question
 * is not trusted; neither is what changes after “only this time”.
 */
export async function askTrust(places: TrustOptions, ask: AskBelow): Promise<"yes" | "no" | "once"> {
  const { trust, gated, changed, root, settings } = projectTrust(places);
  const differ = [...changed, ...settings.flatMap((one) => one.changed)];
  const isTrusted = trust === "trusted" && settings.every((one) => one.trust === "trusted");
  if (isTrusted || gated.length === 0) return "yes";
  const shown = projectFingerprint(places);
  const paint = colours(process.stdout);
  const because =
    differ.length > 0
      ? `Changed since you trusted it: ${differ.map(oneLine).join(", ")}.`
      : trust === "trusted"
        ? "There are files you have not trusted yet."
        : "You have not trusted it yet.";
  const risk = [
    "Extensions, charters and charter.config run as code on this machine; the rest speaks to the model. AGENTS.md and CLAUDE.md are read anyway.",
    ...(settings.length > 0 ? ["Settings say to whom your words and API keys are sent."] : []),
  ].join(" ");
  const lines = [
    ...fitted(`${paint.bold(oneLine(root))} brings words, settings or code of its own. ${because}`),
    ...gated.map((path) => `  ${oneLine(path)}`),
    ...fitted(risk).map(paint.dim),
  ];
  const answer = ((await ask(lines, "Trust it? [y]es, [o]nly this time, [N]o: ")) ?? "").trim();
  if (/^o(?:nly this time|nce)?$/i.test(answer)) return "once";
  if (!/^y(?:es)?$/i.test(answer)) return "no";
  if (projectFingerprint(places) === shown) {
    trustProject(places, new Date().toISOString());
    lookAnew();
    return "yes";
  }
  process.stdout.write("It changed while you were asked: it is not trusted. Look again.\n");
  return "no";
}

function fitted(text: string): string[] {
  return wrapText(text, process.stdout.columns ?? Number.POSITIVE_INFINITY);
}

/** Where no conversation has begun yet. */
export async function askFirst(lines: readonly string[], question: string): Promise<string | undefined> {
  process.stdout.write(`${lines.join("\n")}\n`);
  return askOnce(question);
}

/** One question at a terminal that nobody reads from otherwise; nothing when they left, or no answer is wanted any more. */
export async function askOnce(question: string, signal?: AbortSignal): Promise<string | undefined> {
  const { createInterface } = process.getBuiltinModule("node:readline/promises");
  const asking = createInterface({ input: process.stdin, output: process.stdout });
  const left = new Promise<undefined>((resolve) => asking.once("close", () => resolve(undefined)));
  const close = () => asking.close();
  signal?.addEventListener("abort", close, { once: true });
  // What the question is about is stopped as at any other moment.
  if (signal) asking.once("SIGINT", () => process.emit("SIGINT"));
  const answer = await Promise.race([asking.question(question), left]);
  signal?.removeEventListener("abort", close);
  asking.close();
  // Whoever left the question left the cursor behind it.
  if (answer === undefined) process.stdout.write("\n");
  return answer;
}
