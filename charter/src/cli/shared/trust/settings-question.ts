import { Problem } from "../../../prompt/problem.ts";
import { checkSettings, placesHere, sayOfSettings, untrustedSettings } from "./directory-settings.ts";

/** What was said on the command line about what the directory brings. */
export type SettingsValues = {
  readonly trust?: boolean | undefined;
  readonly "no-trust"?: boolean | undefined;
  /** A configuration file that was named: it and the settings beside it are the person's own word. */
  readonly settings?: string | undefined;
  /** Where it is kept what is trusted. */
  readonly places?: { readonly home?: string | undefined; readonly config?: string | undefined };
};

/** What every command understands that asks models: which settings file, wherever it lies. */
export const settingsOption = { settings: { type: "string" } } as const;

/** What start, serve and work understand of it, as chat and acp do. */
export const trustOptions = { trust: { type: "boolean" }, "no-trust": { type: "boolean" } } as const;

/**
 * Before a command asks models or opens a database: may the files here say where words and keys go? Somebody at a
 * terminal is asked, once; yes is remembered. Where nobody can be asked, one that is not trusted is a Problem.
 */
export async function askForSettings(values: SettingsValues, mayAsk: boolean): Promise<void> {
  if (values.trust && values["no-trust"])
    throw new Problem("usage", "Both --trust and --no-trust were given.", "Give one.");
  const { settings, places: kept = {} } = values;
  if (settings !== undefined) return sayOfSettings({ named: settings }, kept);
  sayOfSettings(values["no-trust"] ? { without: true } : undefined, kept);
  if (values["no-trust"] || (await untrustedSettings()).length === 0) return;
  const [places, { projectFingerprint }] = await Promise.all([placesHere(), import("../../../sources/trust/trust.ts")]);
  const fingerprint = projectFingerprint(places);
  if (values.trust) return sayOfSettings({ fingerprint });
  if (!mayAsk) return checkSettings();
  const [{ askFirst, askTrust }, { charterFilesIn }] = await Promise.all([
    import("./trust-question.ts"),
    import("../trusted-database.ts"),
  ]);
  const charters = await charterFilesIn(places.cwd);
  const answer = await askTrust({ ...places, ...(charters ? { charters } : {}) }, askFirst);
  if (answer === "once") sayOfSettings({ fingerprint });
  if (answer !== "no") return;
  sayOfSettings({ without: true });
  process.stdout.write("It goes on without them.\n");
}

/** Somebody is there to answer a question. */
export function mayAskHere({ json }: { readonly json?: boolean | undefined } = {}): boolean {
  return Boolean(process.stdin.isTTY && process.stdout.isTTY && !json);
}
