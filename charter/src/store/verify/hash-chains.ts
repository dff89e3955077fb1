import { type Receipt, rebuild, textsNamed } from "../../prompt/receipt.ts";
import type { Attachment } from "../../prompt/step-result.ts";
import { type AmendmentRow, amendments, isIntactAmendment, standings } from "../amendments/amendments.ts";
import { matching } from "../home/query.ts";
import { ownerName } from "../home/seals.ts";
import { joinQueries, listOf, type Query, type Row, raw, sql, type Value } from "../home/sql.ts";
import type { RowOf, Table } from "../home/table.ts";
import { digestOfBytes, sha256 } from "../texts/packing.ts";
import { hashChains, type StepRow, stepDigest, stepResultDigest, steps } from "../turns/steps.ts";
import { linkName, type NamedText, type RevisionMention, type StoreFault, type Walk } from "./walk.ts";

/** Verifies every agent's receipts, from the first to the last, and that what was sent can be rebuilt to the byte. */
export function walkSteps(walk: Walk): Promise<{ readonly rows: number; readonly erased: number }> {
  return walkHashChains<StepRow, unknown>(walk, {
    links: steps,
    ends: hashChains,
    word: "step",
    isSound: (row) => stepDigest(row) === row.digest,
    isFirst: ({ agent, previous }) => previous === sha256(agent),
    prove: (rows) => checkReceipts(walk, rows),
    look: () => (row) => {
      const reason = "what came of it was changed";
      if (row.result_digest !== stepResultSeal(row))
        walk.faults.add({ table: "steps", row: stepName(row), what: "edited", reason });
    },
    alone: "the chain of receipts has an end and no steps",
  });
}

const stepName = ({ agent, number }: { agent: string; number: number }) =>
  linkName(ownerName({ agent }), "step", number);

/** Returns the expected `result_digest`. An erased step has no result, and the time of its erasure instead. */
function stepResultSeal({ digest, result, erased_at }: StepRow): string | null {
  if (erased_at !== null) return result === null ? erased_at : "nothing";
  return result === null ? null : stepResultDigest(digest, result);
}

/** Checks the receipts of a page at once, then all the texts they name. */
async function checkReceipts({ proofs, faults, reached }: Walk, rows: readonly StepRow[]): Promise<void> {
  await proofs.prove(rows.map((row) => ({ owner: row.user_id, digest: row.receipt, by: stepName(row) })));
  const read = rows.flatMap((row) => {
    const text = proofs.text(row.user_id, row.receipt);
    return text === undefined ? [] : [{ row, receipt: JSON.parse(text) as Receipt }];
  });
  await proofs.prove(read.flatMap(({ row, receipt }) => namedBy(row, receipt)));
  await reached.compare(read.flatMap(({ row, receipt }) => amendmentsTold(row, receipt)));
  for (const { row, receipt } of read) {
    if (namedBy(row, receipt).some(({ owner, digest }) => proofs.text(owner, digest) === undefined)) continue;
    const slots = rebuild(receipt, ({ whose, digest }) => proofs.text(ownerOf(row, whose), digest) as string);
    for (const { slot, text, digest } of slots)
      if (sha256(text) !== digest) {
        const reason = `the slot “${slot}” cannot be rebuilt from it`;
        faults.add({ table: "steps", row: stepName(row), what: "edited", reason });
      }
  }
}

function ownerOf({ user_id }: StepRow, whose: "agent" | "user"): string {
  return whose === "agent" ? "" : user_id;
}

function namedBy(row: StepRow, receipt: Receipt): NamedText[] {
  const by = stepName(row);
  return textsNamed(receipt).map(({ whose, digest }) => ({ owner: ownerOf(row, whose), digest, by }));
}

/** Returns the revisions that a receipt mentions: a section that was sent as some revision had at least as many amendments. */
function amendmentsTold(row: StepRow, { slots }: Receipt): RevisionMention[] {
  const by = `it was sent in ${stepName(row)}`;
  return slots.flatMap(({ sections }) =>
    sections.flatMap(({ name, whose, spans }) =>
      spans.flatMap(({ revision }) =>
        revision ? [{ agent: row.agent, user_id: ownerOf(row, whose), section: name, revision, by }] : [],
      ),
    ),
  );
}

/** Verifies every section's amendments, from the first to the current one. */
export function walkAmendments(walk: Walk): Promise<{ readonly rows: number; readonly erased: number }> {
  return walkHashChains<AmendmentRow, RowOf<typeof standings>>(walk, {
    links: amendments,
    ends: standings,
    word: "revision",
    isSound: isIntactAmendment,
    isFirst: ({ previous }) => /^[0-9a-f]{64}$/.test(previous),
    prove: (rows) => walk.proofs.prove(rows.flatMap(textsOf)),
    look: (end, name) => lookAt(walk, end, name),
    alone: "there is text that no amendment made",
  });
}

/** Checks what only amendments have: the text before, the current text, and text that may have been erased. */
function lookAt(walk: Walk, end: RowOf<typeof standings> | undefined, name: string): (row: AmendmentRow) => void {
  const { faults } = walk;
  const edited = (revision: number, reason: string) =>
    faults.add({ table: "amendments", row: linkName(name, "revision", revision), what: "edited", reason });
  const erasures = erasuresOf(walk, edited);
  return (row) => {
    const { revision, previous, digest, before_digest, after_digest, erased_at } = row;
    if (revision === 1 && before_digest !== previous)
      edited(1, "it is the first and was not written after the words it changed");
    erasures(row);
    if (end?.digest !== digest) return;
    const words = erased_at === null || end.words !== "" ? sha256(end.words) : undefined;
    if (erased_at !== null && words === after_digest)
      edited(revision, "it is marked as erased, and its text is still there");
    else if (words !== undefined && words !== after_digest) {
      const reason = `its text is not that of revision ${revision}`;
      faults.add({ table: "standings", row: name, what: "edited", reason });
    }
  };
}

/**
 * Checks marks of erasure. Erasure covers the whole history at the time, and what is written after it begins anew. So a mark
 * where that cannot be was set by someone else, or removed from its neighbour.
 */
function erasuresOf({ proofs }: Walk, edited: (revision: number, because: string) => void) {
  let last: AmendmentRow | undefined;
  let original: string | undefined;
  return (row: AmendmentRow) => {
    original ??= row.before_digest;
    if (row.erased_at !== null && row.reason !== row.erased_at)
      edited(row.revision, "it is marked as erased, and not by the store");
    const before = last?.revision === row.revision - 1 ? last : undefined;
    last = row;
    if (!before || (before.erased_at === null) === (row.erased_at === null)) return;
    if (before.erased_at === null) {
      const isReadable = proofs.text(before.user_id, before.after_digest) !== undefined;
      edited(
        isReadable ? row.revision : before.revision,
        "of it and its neighbour only the later one is marked as erased",
      );
    } else if (row.before_digest === before.after_digest && row.before_digest !== original)
      edited(before.revision, "it is marked as erased, and its text was used again");
  };
}

function textsOf(row: AmendmentRow) {
  const by = linkName(ownerName(row), "revision", row.revision);
  return [row.before_digest, row.after_digest].map((digest) => ({ owner: row.user_id, digest, by }));
}

type AttachmentRow = {
  agent: string;
  user_id: string;
  digest: string;
  size: number;
  body: Uint8Array;
  erased_at: string | null;
};

/** Verifies that every attachment is what its digest says, and that each one that a turn came with is there. */
export async function walkAttachments(walk: Walk): Promise<number> {
  const { db, agent, faults, breathe } = walk;
  let attachments = 0;
  for await (const row of db.each<AttachmentRow>(sql`select * from attachments where ${matching({ agent })}`)) {
    attachments++;
    if (isWhole(row)) continue;
    const reason = row.erased_at === null ? "it is not what its digest was made of" : "it was let go, and has bytes";
    faults.add({ table: "attachments", row: nameOf(row, row.digest), what: "edited", reason });
    await breathe();
  }
  const withAttachments = sql`select agent, user_id, id, attachments from turns
    where attachments is not null and ${matching({ agent })}`;
  for (const turn of await db.all<{ agent: string; user_id: string; id: string; attachments: string }>(withAttachments))
    for (const { digest } of JSON.parse(turn.attachments) as readonly Attachment[]) {
      const attachment = await db.one(sql`select 1 from attachments
        where agent = ${turn.agent} and user_id = ${turn.user_id} and digest = ${digest}`);
      const reason = `the turn ${turn.id} came with it`;
      if (!attachment) faults.add({ table: "attachments", row: nameOf(turn, digest), what: "missing", reason });
    }
  return attachments;
}

function isWhole({ digest, size, body, erased_at }: AttachmentRow): boolean {
  if (erased_at !== null) return body.length === 0;
  return body.length === Number(size) && digestOfBytes(body) === digest;
}

function nameOf(whose: { readonly agent: string; readonly user_id: string }, digest: string): string {
  return `${ownerName(whose)}, digest ${digest}`;
}

type LinkRow = {
  readonly agent: string;
  readonly previous: string;
  readonly digest: string;
  readonly erased_at: string | null;
};

/** Hash chains of one kind: what their tables do not declare. */
type HashChains<Link extends LinkRow, End> = {
  readonly links: Table;
  /**
   * Table whose rows say where each chain ends, and whose key names the chain. The last column of the links' key counts along it.
   */
  readonly ends: Table;
  readonly word: "revision" | "step";
  readonly isSound: (row: Link) => boolean;
  /** Tells whether a sound row may be the first of its chain. */
  readonly isFirst: (row: Link) => boolean;
  /** Proves the texts of sound rows that are not erased, those of a page at once. */
  readonly prove: (rows: readonly Link[]) => Promise<void>;
  /** Makes further checks of the sound rows of one chain, one after the other. */
  readonly look: (end: End | undefined, name: string) => (row: Link) => void;
  /** Reason to report for an end without rows. */
  readonly alone: string;
};

const linksPerPage = 200;
const maxAlone = 1000;
/** Maximum number of unsound rows that are compared with each other; the others are called edited, which they are. */
const maxCompared = 100;

/** Verifies every chain from its first row to its end. */
async function walkHashChains<Link extends LinkRow, End>(
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
    if (rows.length < linksPerPage) break;
  }
  current?.end();
  reportUnsound(walk, chains, unsound);
  await reportAlone(walk, chains);
  return counts;
}

type Chains<Link extends LinkRow> = Pick<HashChains<Link, never>, "links" | "ends" | "word" | "isSound" | "alone">;

/** Returns the functions for a row's chain, its name, and its number in the chain. */
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
  return sql`select * from ${raw(name)} where ${from} and ${matching({ agent })} order by ${by} limit ${linksPerPage}`;
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
  const endRows = await db.all<Row>(sql`with wanted (${raw(key.join(", "))}) as
    (values ${joinQueries([...wanted.values()], ", ")})
    select e.* from wanted w join ${raw(name)} e on ${raw(key.map((column) => `e.${column} = w.${column}`).join(" and "))}`);
  return new Map(endRows.map((end) => [keyOf(end), end]));
}

/** Reports rows that are not what their digest says: edited, or moved to the place of another. */
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

/** Reports ends without rows: the end was put there, or everything before it was deleted. */
async function reportAlone<Link extends LinkRow>({ db, agent, faults }: Walk, chains: Chains<Link>): Promise<void> {
  const { links, ends, word, alone: reason } = chains;
  const { nameOf, numberOf } = namesOf(chains);
  const sameKey = ends.key.map((column) => `l.${column} = e.${column}`).join(" and ");
  const rows = await db.all<Row>(sql`select * from ${raw(ends.name)} e where ${matching({ agent })}
    and not exists (select 1 from ${raw(links.name)} l where ${raw(sameKey)}) limit ${maxAlone}`);
  for (const end of rows) {
    faults.add({ table: links.name, row: linkName(nameOf(end), word, 1, numberOf(end)), what: "missing", reason });
    faults.add({ table: ends.name, row: nameOf(end), what: "extra", reason });
  }
}

/** A row of a hash chain: its number, the digest it was written after, and its own. */
type HashChainLink = {
  readonly number: number;
  readonly previous: string;
  readonly digest: string;
  /** Shows that the row is what its digest says. */
  readonly isSound: boolean;
  /** Tells whether it may be the first. */
  readonly isFirst: () => boolean;
};

/** Row that says where a hash chain ends. */
type HashChainEnd = { readonly number: number; readonly digest: string };

type HashChainReport = {
  readonly link: (what: StoreFault["what"], because: string, from: number, to?: number) => void;
  readonly end: (what: StoreFault["what"], because: string) => void;
};

type HashChain = { readonly next: (link: HashChainLink) => void; readonly end: () => void };

/**
 * Walks one hash chain from its first row to its end: no row is missing, each was written after the one before, and the last is
 * the one that the end names. An unsound row is the caller's to report; here it is only not believed.
 *
 * If two rows disagree and each is sound by itself, the earlier one was changed: the later one names what it was.
 */
function createHashChain(end: HashChainEnd | undefined, report: HashChainReport): HashChain {
  let last: HashChainLink | undefined;
  let endAt: number | undefined;
  return {
    next: (link) => {
      // Unsound rows after the end were added or moved, and say nothing about the chain.
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
