import { type Receipt, rebuild } from "../../prompt/receipt.ts";
import { textsNamed } from "../../prompt/sent-history.ts";
import { sha256 } from "../texts/sha256.ts";
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
