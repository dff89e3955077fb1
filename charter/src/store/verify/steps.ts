import { type Receipt, rebuild, textsNamed } from "../../prompt/receipt.ts";
import type { Attachment } from "../../prompt/step-result.ts";
import { type AmendmentRow, amendments, isIntactAmendment, standings } from "../amendments/amendments.ts";
import { matching } from "../home/query.ts";
import { sql } from "../home/sql.ts";
import type { RowOf } from "../home/table.ts";
import { digestOfBytes, sha256 } from "../texts/packing.ts";
import { hashChains, steps } from "../turns/step-tables.ts";
import { type StepRow, stepDigest, stepResultDigest } from "../turns/steps.ts";
import { linkName, ownerName } from "./faults.ts";
import type { RevisionMention } from "./hash-chain-reach.ts";
import { walkHashChains } from "./hash-chain-walk.ts";
import type { NamedText } from "./text-proof.ts";
import type { Walk } from "./walk.ts";

/** Every agent's receipts, from the first to the last, and whether what was sent can be rebuilt to the byte. */
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

/** What `result_digest` has to be. Of a step that was erased nothing came any more, and it says when that was. */
function stepResultSeal({ digest, result, erased_at }: StepRow): string | null {
  if (erased_at !== null) return result === null ? erased_at : "nothing";
  return result === null ? null : stepResultDigest(digest, result);
}

/** The receipts of a page at once, then all the texts they name. */
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

/** A section that was sent as some revision was amended as often as that. */
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

/** Every section's amendments, from the first to the one that stands. */
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

/** What only an amendment has: words before it, words that stand, and words that may have been erased. */
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
 * Erasing takes all of a history there is at the time, and what is written after it begins anew. A row marked as erased
 * where that cannot be was marked by someone else, and so was one that lost its mark.
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
      const there = proofs.text(before.user_id, before.after_digest) !== undefined;
      edited(there ? row.revision : before.revision, "of it and its neighbour only the later one is marked as erased");
    } else if (row.before_digest === before.after_digest && row.before_digest !== original)
      edited(before.revision, "it is marked as erased, and its text was used again");
  };
}

function textsOf(row: AmendmentRow) {
  const by = linkName(ownerName(row), "revision", row.revision);
  return [row.before_digest, row.after_digest].map((digest) => ({ owner: row.user_id, digest, by }));
}

type Row = { agent: string; user_id: string; digest: string; size: number; body: Uint8Array; erased_at: string | null };

/** Every attachment is what its digest says, and each that a turn came with is there. */
export async function walkAttachments(walk: Walk): Promise<number> {
  const { db, agent, faults, breathe } = walk;
  let attachments = 0;
  for await (const row of db.each<Row>(sql`select * from attachments where ${matching({ agent })}`)) {
    attachments++;
    if (isWhole(row)) continue;
    const reason = row.erased_at === null ? "it is not what its digest was made of" : "it was let go, and has bytes";
    faults.add({ table: "attachments", row: nameOf(row, row.digest), what: "edited", reason });
    await breathe();
  }
  const named = sql`select agent, user_id, id, attachments from turns
    where attachments is not null and ${matching({ agent })}`;
  for (const turn of await db.all<{ agent: string; user_id: string; id: string; attachments: string }>(named))
    for (const { digest } of JSON.parse(turn.attachments) as readonly Attachment[]) {
      const there = await db.one(sql`select 1 from attachments
        where agent = ${turn.agent} and user_id = ${turn.user_id} and digest = ${digest}`);
      const reason = `the turn ${turn.id} came with it`;
      if (!there) faults.add({ table: "attachments", row: nameOf(turn, digest), what: "missing", reason });
    }
  return attachments;
}

function isWhole({ digest, size, body, erased_at }: Row): boolean {
  if (erased_at !== null) return body.length === 0;
  return body.length === Number(size) && digestOfBytes(body) === digest;
}

function nameOf(whose: { readonly agent: string; readonly user_id: string }, digest: string): string {
  return `${ownerName(whose)}, digest ${digest}`;
}
