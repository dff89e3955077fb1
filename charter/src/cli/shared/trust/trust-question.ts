import { colours, oneLine } from "../../../operations/print/columns.ts";
import { wrapText } from "../../../operations/print/plain-text.ts";
import { projectFingerprint, projectTrust, type TrustOptions, trustProject } from "../../../sources/trust/trust.ts";
import { createHere, type Here } from "./here.ts";
import { charterFilesIn } from "./trusted-database.ts";

/** What was said on the command line about what the directory brings. */
export type SettingsValues = {
  readonly trust?: boolean | undefined;
  /** A configuration file that was named: it and the settings beside it are the person's own word. */
  readonly settings?: string | undefined;
  /** Where it is kept what is trusted. */
  readonly places?: { readonly home?: string | undefined; readonly config?: string | undefined };
};

/**
 * Before a command asks models or opens a database: may the files here say where words and keys go? Somebody at a
 * terminal is asked, once; yes is remembered. Where nobody can be asked, one that is not trusted is a Problem.
 */
export async function askedHere(values: SettingsValues, mayAsk: boolean): Promise<Here> {
  const { settings, places: { home, config } = {} } = values;
  const kept = { home, config };
  if (settings !== undefined) return createHere({ ...kept, said: { named: settings } });
  if (values.trust === false) return createHere({ ...kept, said: { without: true } });
  const here = createHere(kept);
  if ((await here.untrusted()).length === 0) return here;
  const places = await here.places();
  const said = { fingerprint: projectFingerprint(places) };
  if (values.trust) return createHere({ ...kept, said });
  if (!mayAsk) {
    await here.check();
    return here;
  }
  const charters = await charterFilesIn(places.cwd);
  const answer = await askTrust({ ...places, ...(charters ? { charters } : {}) }, askFirst);
  if (answer === "once") return createHere({ ...kept, said });
  if (answer === "yes") return here;
  process.stdout.write("It goes on without them.\n");
  return createHere({ ...kept, said: { without: true } });
}

/** Somebody is there to answer a question. */
export function mayAskHere({ json }: { readonly json?: boolean | undefined } = {}): boolean {
  return Boolean(process.stdin.isTTY && process.stdout.isTTY && !json);
}

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
