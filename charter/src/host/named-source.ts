import { isRecord, kindOf } from "../prompt/argument.ts";
import { Problem } from "../prompt/problem.ts";
import type { Source, Trust } from "../prompt/reading.ts";
import type { NamedSource, NamedSources } from "../sources/charter-folder/charter-files.ts";

/** A source that charters in folders may name: a function, or a function with the most that its words are trusted. */
export type SourceEntry = Source | NamedSourceEntry;

type NamedSourceEntry = { readonly read: Source; readonly trust?: Trust };

/** Sources by name; or a function that returns them, called when a folder first names one. */
export type HostSources =
  | Readonly<Record<string, SourceEntry>>
  | (() => Promise<Readonly<Record<string, SourceEntry>> | undefined>);

const made = new WeakMap<object, NamedSources>();

/** Prepares sources for folders; the same object for the same ones. */
export async function namedSourcesOf(given: HostSources | undefined): Promise<NamedSources> {
  const entries = (typeof given === "function" ? await given() : given) ?? {};
  const known =
    made.get(entries) ?? Object.fromEntries(Object.entries(entries).map(([name, one]) => [name, namedSource(one)]));
  made.set(entries, known);
  return known;
}

function namedSource(entry: SourceEntry): NamedSource {
  if (typeof entry === "function") return { read: entry, trust: "own" };
  return { read: entry.read, trust: entry.trust ?? "own" };
}

/** Checks sources as they were written; the first that cannot be one is named. */
export function checkSources(given: unknown, { place, code }: { readonly place: string; readonly code: string }): void {
  if (!isRecord(given))
    throw new Problem(code, `“sources” in ${place} is ${kindOf(given)}.`, "Give sources by name: { weather }.");
  for (const [name, entry] of Object.entries(given)) {
    const { read = entry, trust = "own" } = isRecord(entry) ? entry : { read: entry };
    const wrong =
      typeof read !== "function"
        ? `is ${kindOf(read)}`
        : ["own", "user", "foreign"].includes(trust as string)
          ? undefined
          : "has a trust that is none of own, user and foreign";
    if (wrong === undefined) continue;
    throw new Problem(
      code,
      `The source “${name}” in ${place} ${wrong}.`,
      "Give a function, or { read, trust }: docs/charter-folder.md.",
    );
  }
}
