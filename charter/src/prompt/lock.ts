import { badArgument, isObject, kindOf } from "./argument.ts";
import { allSections, type Charter, type Edition, sectionMutability } from "./charter.ts";
import { planOf } from "./plan.ts";
import { listed, Problem } from "./problem.ts";
import type { Sha256 } from "./prompt.ts";

/** The digests of a fixed section's text and of its short form, and the lines of both, so that a diff of the file shows them. */
export type LockedSection = {
  readonly words: string;
  readonly short?: string;
  readonly text?: readonly string[];
  readonly shortText?: readonly string[];
};

/** One charter's fixed sections as they were locked, by name. */
export type LockedCharter = Readonly<Record<string, LockedSection>>;

/**
 * The fixed text of some charters, as the file `charter.lock` holds it: digests, and for charters of your own the lines beside
 * them. `files` says where charters of your own are.
 */
export type Lock = {
  readonly version: 1;
  readonly charters: Readonly<Record<string, LockedCharter>>;
  readonly files?: Readonly<Record<string, string>>;
};

/** A fixed section that is not as it was locked. */
export type LockDifference = {
  readonly charter: string;
  readonly section: string;
  readonly what: "changed" | "added" | "removed";
};

/** Options of `lockOf`. `text: false`: digests alone, without the lines they are of. */
export type LockOptions = { readonly text?: boolean };

/** Computes the lock of some charters: write it to a file, and compare with `checkLock` in a test or at start-up. */
export function lockOf(charters: readonly Charter[], sha256: Sha256, { text = true }: LockOptions = {}): Lock {
  if (!Array.isArray(charters) || typeof sha256 !== "function")
    throw badArgument("lockOf was given no list of charters, or no sha256.", "Give lockOf([charter], sha256).");
  const locked = text ? lockedWithText : lockedCharter;
  return {
    version: 1,
    charters: Object.fromEntries(charters.map((charter) => [charter.name, locked(charter, sha256)])),
  };
}

const digests = new WeakMap<Charter, { readonly by: Sha256; readonly digest: string }>();

/** Returns one digest for all of a charter's fixed words. */
export function lockDigest(charter: Charter, sha256: Sha256): string {
  const before = digests.get(charter);
  if (before?.by === sha256) return before.digest;
  const digest = sha256(JSON.stringify(lockedCharter(charter, sha256)));
  digests.set(charter, { by: sha256, digest });
  return digest;
}

function lockedCharter(charter: Charter, sha256: Sha256): LockedCharter {
  return Object.fromEntries(
    Object.entries(fixedTexts(charter)).map(([name, { words, short }]) => [
      name,
      { words: sha256(words), ...(short === undefined ? {} : { short: sha256(short) }) },
    ]),
  );
}

function lockedWithText(charter: Charter, sha256: Sha256): LockedCharter {
  const texts = fixedTexts(charter);
  return Object.fromEntries(
    Object.entries(lockedCharter(charter, sha256)).map(([name, digests]) => {
      const { words, short } = texts[name] as FixedText;
      const shortText = short === undefined ? {} : { shortText: short.split("\n") };
      return [name, { ...digests, text: words.split("\n"), ...shortText }];
    }),
  );
}

/** A fixed section's text as it is pinned, or every line it can consist of; and its short form. */
export type FixedText = { readonly words: string; readonly short?: string };

/** Lists the fixed text of a charter, by section. */
export function fixedTexts(charter: Charter): Readonly<Record<string, FixedText>> {
  const fixed = allSections(charter).filter(({ section, layer }) => sectionMutability(section, layer) === "fixed");
  return Object.fromEntries(
    fixed.map(({ section: { name, words = "", wordings, short } }) => [
      name,
      { words: wordings?.join("\n") ?? words, ...(short === undefined ? {} : { short }) },
    ]),
  );
}

/** Checks that the lines in a lock are those its digests are of: whoever reviews a diff of the file sees what is pinned. */
function checkText(charter: string, locked: LockedCharter, sha256: Sha256): void {
  for (const [section, { words, short, text, shortText }] of Object.entries(locked)) {
    const isTrue = (lines: readonly string[] | undefined, digest: string | undefined) =>
      lines === undefined || sha256(lines.join("\n")) === digest;
    if (isTrue(text, words) && isTrue(shortText, short)) continue;
    throw new Problem(
      "bad-lock",
      `The lock shows other words for “${section}” of “${charter}” than it pins.`,
      "Take it from version control, or delete it and run `charter lock`.",
    );
  }
}

/** Lists the fixed sections of a charter that differ from the lock. */
export function lockDifferences(lock: Lock, charter: Charter, sha256: Sha256): LockDifference[] {
  if (!isObject(lock?.charters))
    throw badArgument(`The lock is ${kindOf(lock)}.`, "Give what lockOf([charter], sha256) made.");
  const locked = Object.hasOwn(lock.charters, charter.name) ? (lock.charters[charter.name] as LockedCharter) : {};
  checkText(charter.name, locked, sha256);
  const now = lockedCharter(charter, sha256);
  const names = [...new Set([...Object.keys(locked), ...Object.keys(now)])];
  return names.flatMap((section): LockDifference[] => {
    const before = locked[section];
    const after = now[section];
    if (!before) return [{ charter: charter.name, section, what: "added" }];
    if (!after) return [{ charter: charter.name, section, what: "removed" }];
    const same = before.words === after.words && before.short === after.short;
    return same ? [] : [{ charter: charter.name, section, what: "changed" }];
  });
}

/** Throws a Problem if a charter's fixed text is not what the lock says. */
export function checkLock(lock: Lock, charter: Charter, sha256: Sha256): void {
  const differences = lockDifferences(lock, charter, sha256);
  if (differences.length === 0) return;
  const names = differences.map(({ section, what }) => `${section} (${what})`);
  throw new Problem(
    "lock-mismatch",
    `The fixed text of “${charter.name}” differs from charter.lock: ${listed(names)}.`,
    "See what changed with `charter lock --diff`; if the change is meant, run `charter lock` and commit the file.",
  );
}

/**
 * Lists the fixed sections whose words are not in a text, each under its heading, verbatim and in order. A hook that changes the
 * text is held to this: a text with any of them missing is discarded.
 */
export function missingFixedWords(charter: Charter, edition: Edition, text: string): string[] {
  let from = 0;
  return planOf(charter).sections.flatMap(({ section, mutability, opening }) => {
    if (mutability !== "fixed") return [];
    const words = opening[edition].replace(/^\s+/, "");
    let at = text.indexOf(words, from);
    while (at > 0 && text[at - 1] !== "\n") at = text.indexOf(words, at + 1);
    if (at === -1) return [section.name];
    from = at + words.length;
    return [];
  });
}
