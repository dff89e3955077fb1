import type { Database } from "../home/database.ts";
import { ownerName } from "../home/seals.ts";
import { joinQueries, sql } from "../home/sql.ts";
import type { Table } from "../home/table.ts";
import { sha256, type TextFault, unpackFrom } from "../texts/packing.ts";
import type { TextRow } from "../texts/text.ts";

/** A walk through the whole store at one moment, while others go on writing. */
export type Walk = {
  readonly db: Database;
  readonly tables: readonly Table[];
  /** Limits the walk to this agent's hash chains, and the texts they refer to. */
  readonly agent: string | undefined;
  readonly faults: FaultList;
  readonly proofs: TextProofs;
  readonly reached: HashChainReach;
  /** Reports that so many rows were checked, and lets other work run. */
  readonly tick: (table: WalkedTable, rows: number) => Promise<void>;
  /** Lets other work run. */
  readonly breathe: () => Promise<void>;
};

export type WalkedTable = "amendments" | "steps" | "texts";

/** A fault: something in the database is not as it was written, with the reason to think so. */
export type StoreFault = {
  readonly table: string;
  /** Key of the row; for several rows, their owner. */
  readonly row: string;
  /** Kind of fault. `damaged`: the database itself reports that its pages or indexes are. */
  readonly what: "edited" | "missing" | "reordered" | "extra" | "damaged";
  readonly reason: string;
};

type FaultList = {
  readonly add: (fault: StoreFault) => void;
  readonly list: readonly StoreFault[];
  /** Returns the number of faults beyond those that are listed. */
  readonly further: () => number;
};

/** Maximum number of listed faults: enough to see what happened, while a store in ruins does not fill the memory. */
const maxFaults = 1000;

export function createFaults(): FaultList {
  const list: StoreFault[] = [];
  const known = new Set<string>();
  let further = 0;
  return {
    list,
    further: () => further,
    add: (fault) => {
      const name = JSON.stringify([fault.table, fault.row, fault.what]);
      if (known.has(name)) return;
      if (list.length >= maxFaults) further++;
      else {
        known.add(name);
        list.push(fault);
      }
    },
  };
}

/** Names one row of a hash chain, or a range of them. */
export function linkName(hashChain: string, word: "revision" | "step", from: number, to = from): string {
  return from === to ? `${hashChain}, ${word} ${from}` : `${hashChain}, ${word}s ${from} to ${to}`;
}

export function textName(owner: string, digest: string): string {
  return owner === "" ? `digest ${digest}` : `user ${owner}, digest ${digest}`;
}

/** Mention, outside a hash chain of amendments, of a revision that it had. */
export type RevisionMention = {
  readonly agent: string;
  readonly user_id: string;
  readonly section: string;
  readonly revision: number;
  /** Source of the mention: “event 12 tells of it”. */
  readonly by: string;
};

type HashChainReach = {
  /** Reports hash chains that are shorter than a mention says: they have lost their end, or are gone. */
  readonly compare: (tellings: readonly RevisionMention[]) => Promise<void>;
};

type HashChainKey = Omit<RevisionMention, "revision" | "by">;
type EndRow = HashChainKey & { last: number | null; head: number | null };

const keyOf = ({ agent, user_id, section }: HashChainKey) => JSON.stringify([agent, user_id, section]);
const maxKnownEnds = 20_000;
const maxKeysAtOnce = 400;

export function createHashChainReach(db: Database, faults: FaultList): HashChainReach {
  const ends = new Map<string, number>();
  const readEnds = async (keys: readonly HashChainKey[]): Promise<void> => {
    const wanted = keys.map(({ agent, user_id, section }) => sql`(${agent}, ${user_id}, ${section})`);
    const rows = await db.all<EndRow>(sql`with wanted (agent, user_id, section) as (values ${joinQueries(wanted, ", ")})
      select w.agent, w.user_id, w.section,
        (select max(a.revision) from amendments a
          where a.agent = w.agent and a.user_id = w.user_id and a.section = w.section) as last,
        (select s.revision from standings s
          where s.agent = w.agent and s.user_id = w.user_id and s.section = w.section) as head
      from wanted w`);
    // Disagreements with the row that ends a chain are reported where the chain is walked.
    for (const row of rows) ends.set(keyOf(row), Math.max(row.last ?? 0, row.head ?? 0));
  };
  return {
    compare: async (tellings) => {
      const furthest = new Map<string, RevisionMention>();
      for (const one of tellings) {
        const before = furthest.get(keyOf(one));
        if (!before || one.revision > before.revision) furthest.set(keyOf(one), one);
      }
      if (ends.size > maxKnownEnds) ends.clear();
      const unknown = [...furthest].flatMap(([key, one]) => (ends.has(key) ? [] : [one]));
      for (let from = 0; from < unknown.length; from += maxKeysAtOnce)
        await readEnds(unknown.slice(from, from + maxKeysAtOnce));
      for (const [key, { revision, by, ...owner }] of furthest) {
        const end = ends.get(key) ?? 0;
        if (revision <= end) continue;
        const row = linkName(ownerName(owner), "revision", end + 1, revision);
        faults.add({ table: "amendments", row, what: "missing", reason: by });
        // Later mentions of the same loss are not reported again.
        ends.set(key, revision);
      }
    },
  };
}

/** A text by its owner and digest, and the row that names it. */
export type NamedText = { readonly owner: string; readonly digest: string; readonly by: string };

/** Proofs of texts during a walk: each row is read once, unpacked once and proved, as long as it is cached. */
type TextProofs = {
  /** Reads and proves these texts at once. A text that cannot be proved is a fault that names the row to blame. */
  readonly prove: (texts: readonly NamedText[]) => Promise<void>;
  /** Returns a text that was just proved; `undefined` if it could not be. */
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

  /** Reads the rows of texts that are not known yet, and of all they are packed against. */
  const load = async (texts: readonly NamedText[]): Promise<Map<string, TextRow>> => {
    const rows = new Map<string, TextRow>();
    const requested = new Set<string>();
    let wanted: readonly Wanted[] = texts;
    while (wanted.length > 0) {
      const fresh = wanted.filter(({ owner, digest }) => {
        const name = nameOf(owner, digest);
        return !known.has(name) && !requested.has(name) && requested.add(name);
      });
      const read = await rowsOf(db, fresh);
      for (const row of read) rows.set(nameOf(row.owner, row.digest), row);
      wanted = read.flatMap(({ owner, base }) => (base === null ? [] : [{ owner, digest: base }]));
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
    // A bad base may be to blame instead. A base that is there is judged by itself.
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

const maxTextsAtOnce = 400;

async function rowsOf(db: Database, wanted: readonly Wanted[]): Promise<TextRow[]> {
  const rows: TextRow[] = [];
  for (let from = 0; from < wanted.length; from += maxTextsAtOnce) {
    const keys = wanted.slice(from, from + maxTextsAtOnce).map(({ owner, digest }) => sql`(${owner}, ${digest})`);
    rows.push(
      ...(await db.all<TextRow>(sql`with wanted (owner, digest) as (values ${joinQueries(keys, ", ")})
        select t.* from wanted join texts t on t.owner = wanted.owner and t.digest = wanted.digest`)),
    );
  }
  return rows;
}

/** Set of the texts that were met on a walk: eight bytes each, so that millions of them fit. */
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

/** Hashes a text's name to 52 bits: two of a billion texts share a hash only once in many thousand stores. */
function markOf(owner: string, digest: string): number {
  return Number.parseInt(sha256(`${owner}\0${digest}`).slice(0, 13), 16);
}
