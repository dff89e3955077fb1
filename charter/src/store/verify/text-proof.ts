import type { Database } from "../home/database.ts";
import { joinQueries, sql } from "../home/sql.ts";
import { sha256, type TextFault, type TextRow, unpackFrom } from "../texts/packing.ts";
import { type FaultList, textName } from "./faults.ts";

/** A text by its owner and digest, and who names it. */
export type NamedText = { readonly owner: string; readonly digest: string; readonly by: string };

/** Texts on a walk through the store: each row is read once, unpacked once and proved, as long as it is remembered. */
export type TextProofs = {
  /** Reads them all at once. One that cannot be proved is a fault that names the row to blame. */
  readonly prove: (texts: readonly NamedText[]) => Promise<void>;
  /** A text that was just proved; `undefined`, when it could not be. */
  readonly text: (owner: string, digest: string) => string | undefined;
  readonly seen: SeenTexts;
};

export function createTextProofs(db: Database, faults: FaultList, keep = 16_000_000): TextProofs {
  const known = new Map<string, string | undefined>();
  const missing = new Set<string>();
  const seen = createSeenTexts();
  let size = 0;
  const forgetOldest = () => {
    for (const [name, text] of known) {
      if (size <= keep) return;
      known.delete(name);
      size -= text?.length ?? 0;
    }
  };

  /** The rows of texts that are not known yet, and of all they are packed against. */
  const load = async (texts: readonly NamedText[]): Promise<Map<string, TextRow>> => {
    const rows = new Map<string, TextRow>();
    const asked = new Set<string>();
    let wanted: readonly Wanted[] = texts;
    while (wanted.length > 0) {
      const fresh = wanted.filter(({ owner, digest }) => {
        const name = nameOf(owner, digest);
        return !known.has(name) && !asked.has(name) && asked.add(name);
      });
      const found = await rowsOf(db, fresh);
      for (const row of found) rows.set(nameOf(row.owner, row.digest), row);
      wanted = found.flatMap(({ owner, base }) => (base === null ? [] : [{ owner, digest: base }]));
    }
    return rows;
  };

  const settle = (rows: ReadonlyMap<string, TextRow>, { owner, digest, by }: NamedText) => {
    const nameIn = (one: string) => nameOf(owner, one);
    unpackFrom(
      {
        row: (one) => rows.get(nameIn(one)),
        known: {
          has: (one) => known.has(nameIn(one)),
          get: (one) => known.get(nameIn(one)),
          set: (one, text) => {
            seen.add(owner, one);
            size += text?.length ?? 0;
            return known.set(nameIn(one), text);
          },
        },
        fault: (fault) => blame(owner, by, fault),
      },
      digest,
    );
  };

  const blame = (owner: string, by: string, { why, digest, base, waiting }: TextFault) => {
    const fault = (one: string, what: "edited" | "missing", reason: string) =>
      faults.add({ table: "texts", row: textName(owner, one), what, reason });
    const above = waiting.at(-1);
    if (why === "absent") {
      missing.add(nameOf(owner, digest));
      fault(digest, "missing", `${above === undefined ? by : `digest ${above}`} names it`);
    } else if (why === "ring") {
      const all = [...waiting, digest];
      for (const one of all.slice(all.indexOf(base as string)))
        fault(one, "edited", "it is packed against itself, by whatever way round");
    } else if (why === "changed") fault(digest, "edited", "it is not the text its digest was made of");
    // Either of the two may be the one that was changed. A base that is there was judged by itself.
    else if (missing.has(nameOf(owner, base as string)))
      fault(digest, "edited", `it is packed against digest ${base}, which is not there`);
  };

  return {
    seen,
    text: (owner, digest) => known.get(nameOf(owner, digest)),
    prove: async (texts) => {
      forgetOldest();
      const rows = await load(texts);
      for (const text of texts) settle(rows, text);
    },
  };
}

type Wanted = { readonly owner: string; readonly digest: string };

function nameOf(owner: string, digest: string): string {
  return `${digest} ${owner}`;
}

const batch = 400;

async function rowsOf(db: Database, wanted: readonly Wanted[]): Promise<TextRow[]> {
  const rows: TextRow[] = [];
  for (let from = 0; from < wanted.length; from += batch) {
    const keys = wanted.slice(from, from + batch).map(({ owner, digest }) => sql`(${owner}, ${digest})`);
    rows.push(
      ...(await db.all<TextRow>(sql`with wanted (owner, digest) as (values ${joinQueries(keys, ", ")})
        select t.* from wanted join texts t on t.owner = wanted.owner and t.digest = wanted.digest`)),
    );
  }
  return rows;
}

/** Which texts were met on a walk: eight bytes each, so that millions of them fit. */
type SeenTexts = {
  readonly add: (owner: string, digest: string) => void;
  readonly has: (owner: string, digest: string) => boolean;
  readonly size: () => number;
};

const nothing = -1;

export function createSeenTexts(): SeenTexts {
  let slots = new Float64Array(1024).fill(nothing);
  let size = 0;
  const place = (mark: number): number => {
    let at = mark % slots.length;
    while (slots[at] !== nothing && slots[at] !== mark) at = (at + 1) % slots.length;
    return at;
  };
  const grow = () => {
    const before = slots;
    slots = new Float64Array(before.length * 2).fill(nothing);
    for (const mark of before) if (mark !== nothing) slots[place(mark)] = mark;
  };
  return {
    size: () => size,
    has: (owner, digest) => {
      const mark = markOf(owner, digest);
      return slots[place(mark)] === mark;
    },
    add: (owner, digest) => {
      const mark = markOf(owner, digest);
      const at = place(mark);
      if (slots[at] === mark) return;
      slots[at] = mark;
      size++;
      if (size * 2 > slots.length) grow();
    },
  };
}

/** 52 bits: two of a billion texts share a mark once in many thousand stores. */
function markOf(owner: string, digest: string): number {
  return Number.parseInt(sha256(`${owner}\0${digest}`).slice(0, 13), 16);
}
