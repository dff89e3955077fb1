import { matching } from "../home/query.ts";
import { joinQueries, listOf, type Query, type Row, raw, sql, type Value } from "../home/sql.ts";
import type { Table } from "../home/table.ts";
import { linkName, ownerName, type StoreFault } from "./faults.ts";
import type { Walk } from "./walk.ts";

type LinkRow = {
  readonly agent: string;
  readonly previous: string;
  readonly digest: string;
  readonly erased_at: string | null;
};

/** Hash chains of one kind: what their declarations do not say of them. */
type HashChains<Link extends LinkRow, End> = {
  readonly links: Table;
  /** Their rows say where each chain ends, and their key names it. The last column of the links' key counts along it. */
  readonly ends: Table;
  readonly word: "revision" | "step";
  readonly isSound: (row: Link) => boolean;
  /** Whether a sound row that is the first was written after what was there. */
  readonly isFirst: (row: Link) => boolean;
  /** Reads what rows name that are sound and not erased, those of a page at once. */
  readonly prove: (rows: readonly Link[]) => Promise<void>;
  /** What else is seen in the sound rows of one chain, one after the other. */
  readonly look: (end: End | undefined, name: string) => (row: Link) => void;
  /** What an end without rows tells. */
  readonly alone: string;
};

const page = 200;
const maxAlone = 1000;
/** So many that are not sound are compared with each other; whatever comes after is called edited, which it is. */
const maxCompared = 100;

/** Every chain from its first row to its end. */
export async function walkHashChains<Link extends LinkRow, End>(
  walk: Walk,
  chains: HashChains<Link, End>,
): Promise<{ readonly rows: number; readonly erased: number }> {
  const { db, faults, tick } = walk;
  const { links, ends } = chains;
  const { keyOf, nameOf, numberOf } = namesOf(chains);
  const open = (row: Link, end: Row | undefined) => {
    const name = nameOf(row);
    const chain = createHashChain(end && { number: numberOf(end), digest: end.digest as string }, {
      link: (what, reason, from, to) =>
        faults.add({ table: links.name, row: linkName(name, chains.word, from, to), what, reason }),
      end: (what, reason) => faults.add({ table: ends.name, row: name, what, reason }),
    });
    return { key: keyOf(row), ...chain, look: chains.look(end as End | undefined, name) };
  };
  const unsound: Link[] = [];
  const counts = { rows: 0, erased: 0 };
  let current: ReturnType<typeof open> | undefined;
  for (let last: Link | undefined; ; ) {
    const rows: Link[] = await db.all<Link>(linksAfter(links, last, walk.agent));
    const endings = await endsOf(walk, chains, rows);
    const sound = new Set(rows.filter(chains.isSound));
    await chains.prove([...sound].filter(({ erased_at }) => erased_at === null));
    for (const row of rows) {
      if (keyOf(row) !== current?.key) {
        current?.end();
        current = open(row, endings.get(keyOf(row)));
      }
      const { previous, digest } = row;
      const isSound = sound.has(row);
      current.next({ number: numberOf(row), previous, digest, isSound, isFirst: () => chains.isFirst(row) });
      if (isSound) current.look(row);
      else unsound.push(row);
      counts.rows++;
      if (row.erased_at !== null) counts.erased++;
    }
    last = rows.at(-1);
    await tick(links.name as "amendments" | "steps", rows.length);
    if (rows.length < page) break;
  }
  current?.end();
  reportUnsound(walk, chains, unsound);
  await reportAlone(walk, chains);
  return counts;
}

type Chains<Link extends LinkRow> = Pick<HashChains<Link, never>, "links" | "ends" | "word" | "isSound" | "alone">;

/** What is the same of all rows of a chain, what it is called, and where a row stands in it. */
function namesOf({ links, ends }: Pick<Chains<never>, "links" | "ends">) {
  const counter = links.key.at(-1) as string;
  return {
    keyOf: (row: object) => JSON.stringify(valuesOf(row, ends.key)),
    nameOf: (row: object) => ownerName(pick(row, ends.key) as { agent: string }),
    numberOf: (row: object) => Number((row as Row)[counter]),
  };
}

const valuesOf = (row: object, columns: readonly string[]) => columns.map((column) => (row as Row)[column] as Value);
const pick = (row: object, columns: readonly string[]) =>
  Object.fromEntries(columns.map((column) => [column, (row as Row)[column]]));

function linksAfter({ name, key }: Table, last: object | undefined, agent: string | undefined): Query {
  const by = raw(key.join(", "));
  const from = last ? sql`(${by}) > ${listOf(valuesOf(last, key))}` : raw("1 = 1");
  return sql`select * from ${raw(name)} where ${from} and ${matching({ agent })} order by ${by} limit ${page}`;
}

async function endsOf<Link extends LinkRow>(
  { db }: Walk,
  chains: Chains<Link>,
  rows: readonly Link[],
): Promise<Map<string, Row>> {
  if (rows.length === 0) return new Map();
  const { name, key } = chains.ends;
  const { keyOf } = namesOf(chains);
  const wanted = new Map(rows.map((row) => [keyOf(row), listOf(valuesOf(row, key))]));
  const found = await db.all<Row>(sql`with wanted (${raw(key.join(", "))}) as
    (values ${joinQueries([...wanted.values()], ", ")})
    select e.* from wanted w join ${raw(name)} e on ${raw(key.map((column) => `e.${column} = w.${column}`).join(" and "))}`);
  return new Map(found.map((end) => [keyOf(end), end]));
}

/** Rows that are not what their digest says: edited, or each in the place of another. */
function reportUnsound<Link extends LinkRow>({ faults }: Walk, chains: Chains<Link>, unsound: readonly Link[]): void {
  const { links, word, isSound } = chains;
  const { nameOf, numberOf } = namesOf(chains);
  const rowName = (row: Link) => linkName(nameOf(row), word, numberOf(row));
  const compared = unsound.slice(0, maxCompared);
  for (const row of unsound) {
    const isWrittenAs = (one: Link) => one !== row && isSound({ ...row, ...pick(one, links.key) });
    const other = compared.includes(row) ? compared.find(isWrittenAs) : undefined;
    const fault: Pick<StoreFault, "what" | "reason"> = other
      ? { what: "reordered", reason: `it was written as ${rowName(other)}` }
      : { what: "edited", reason: "it is not what its digest was made of" };
    faults.add({ table: links.name, row: rowName(row), ...fault });
  }
}

/** An end was put there, or all that led to it was taken away. */
async function reportAlone<Link extends LinkRow>({ db, agent, faults }: Walk, chains: Chains<Link>): Promise<void> {
  const { links, ends, word, alone: reason } = chains;
  const { nameOf, numberOf } = namesOf(chains);
  const same = ends.key.map((column) => `l.${column} = e.${column}`).join(" and ");
  const rows = await db.all<Row>(sql`select * from ${raw(ends.name)} e where ${matching({ agent })}
    and not exists (select 1 from ${raw(links.name)} l where ${raw(same)}) limit ${maxAlone}`);
  for (const end of rows) {
    faults.add({ table: links.name, row: linkName(nameOf(end), word, 1, numberOf(end)), what: "missing", reason });
    faults.add({ table: ends.name, row: nameOf(end), what: "extra", reason });
  }
}

/** One row of a hash chain: its number, the digest it was written after, its own. */
type HashChainLink = {
  readonly number: number;
  readonly previous: string;
  readonly digest: string;
  /** It is what its digest says. */
  readonly isSound: boolean;
  /** Whether it may be the first: it was written after what was there. */
  readonly isFirst: () => boolean;
};

/** The row that says where a hash chain ends. */
type HashChainEnd = { readonly number: number; readonly digest: string };

type HashChainReport = {
  readonly link: (what: StoreFault["what"], because: string, from: number, to?: number) => void;
  readonly end: (what: StoreFault["what"], because: string) => void;
};

type HashChain = { readonly next: (link: HashChainLink) => void; readonly end: () => void };

/**
 * Walks one hash chain from its first row to its end: none missing, each written after the one before, the last the one
 * that the end names. A row that is not sound is the caller's to report; here it is only not believed.
 *
 * Where two rows disagree and each is sound by itself, the earlier one was changed: the later one names what it was.
 */
function createHashChain(end: HashChainEnd | undefined, report: HashChainReport): HashChain {
  let last: HashChainLink | undefined;
  let endAt: number | undefined;
  return {
    next: (link) => {
      // A row behind the end that is not even sound was put there, or moved: it says nothing about the chain.
      if (!Number.isSafeInteger(link.number) || (!link.isSound && end && link.number > end.number)) return;
      const expected = Math.max(last?.number ?? 0, 0) + 1;
      if (link.number > expected) report.link("missing", "the rows around it are there", expected, link.number - 1);
      if (link.number === 1 && link.isSound && !link.isFirst())
        report.link("edited", "it is the first and was not written after what it changed", 1);
      const follows = last && link.number === last.number + 1;
      if (follows && last?.isSound && link.isSound && link.previous !== last.digest)
        report.link("edited", `number ${link.number} was written after another digest`, last.number);
      if (end && link.digest === end.digest) endAt = link.number;
      last = link;
    },
    end: () => {
      if (!last) return;
      const { number } = last;
      if (!end) return report.end("missing", `the chain ends with number ${number}, and nothing says so`);
      const because = `it names number ${end.number}, and the chain ends with number ${number}`;
      if (end.digest === last.digest) {
        if (end.number !== number && last.isSound) report.end("edited", because);
      } else if (endAt !== undefined) report.end("edited", because);
      else if (end.number > number) {
        report.link("missing", "the chain was written further than it goes now", number + 1, end.number);
        report.end("edited", because);
      } else if (last.isSound) {
        report.end("edited", `it does not name the digest of number ${number}`);
        report.link("edited", "the row that ends the chain names another digest", number);
      }
    },
  };
}
