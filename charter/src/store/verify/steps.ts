import { type Receipt, rebuild } from "../../prompt/receipt.ts";
import { textsNamed } from "../../prompt/sent-history.ts";
import { joinQueries, raw, sql } from "../home/sql.ts";
import { sha256 } from "../texts/sha256.ts";
import { type ChainEnd, type StepRow, stepDigest, stepResultDigest } from "../turns/steps.ts";
import { type Chain, createChain } from "./chain.ts";
import type { RevisionMention } from "./chain-reach.ts";
import { chainName, linkName } from "./faults.ts";
import type { NamedText } from "./text-proof.ts";
import { createUnsoundRows } from "./unsound-rows.ts";
import type { Walk } from "./walk.ts";

const page = 100;
const isSound = (row: StepRow) => stepDigest(row) === row.digest;
const stepName = ({ agent, number }: { agent: string; number: number }) =>
  linkName(chainName({ agent }), "step", number);

/** Every agent's receipts, from the first to the last, and whether what was sent can be rebuilt to the byte. */
export async function walkSteps(walk: Walk): Promise<{ readonly steps: number; readonly erased: number }> {
  const { db, faults, tick } = walk;
  const unsound = unsoundSteps(walk);
  const counts = { steps: 0, erased: 0 };
  let open: { readonly agent: string; readonly chain: Chain } | undefined;
  for (let last: StepRow | undefined; ; ) {
    const rows: StepRow[] = await db.all<StepRow>(stepsAfter(last, walk.agent));
    const ends = await endsOf(walk, rows);
    const sound = new Set(rows.filter(isSound));
    const kept = [...sound].filter(({ erased_at }) => erased_at === null);
    await checkReceipts(walk, kept);
    for (const row of rows) {
      const { agent, number, previous, digest } = row;
      if (agent !== open?.agent) {
        open?.chain.end();
        open = { agent, chain: openChain(walk, agent, ends.get(agent)) };
      }
      open.chain.next({ number, previous, digest, sound: sound.has(row) });
      if (!sound.has(row)) unsound.add(row);
      else if (row.came_digest !== stepResultSeal(row))
        faults.add({ table: "steps", row: stepName(row), what: "edited", reason: "what came of it was changed" });
      counts.steps++;
      if (row.erased_at !== null) counts.erased++;
    }
    last = rows.at(-1);
    await tick("steps", rows.length);
    if (rows.length < page) break;
  }
  open?.chain.end();
  unsound.report();
  await endsWithoutSteps(walk);
  return counts;
}

/** What `came_digest` has to be. Of a step that was erased nothing came any more, and it says when that was. */
function stepResultSeal({ digest, came, erased_at }: StepRow): string | null {
  if (erased_at !== null) return came === null ? erased_at : "nothing";
  return came === null ? null : stepResultDigest(digest, came);
}

function openChain({ faults }: Walk, agent: string, end: ChainEnd | undefined): Chain {
  const name = chainName({ agent });
  return createChain(end, ({ previous }) => previous === sha256(agent), {
    link: (what, reason, from, to) =>
      faults.add({ table: "steps", row: linkName(name, "step", from, to), what, reason }),
    head: (what, reason) => faults.add({ table: "chains", row: name, what, reason }),
  });
}

function unsoundSteps({ faults }: Walk) {
  const add = (row: StepRow, what: "edited" | "reordered", reason: string) =>
    faults.add({ table: "steps", row: stepName(row), what, reason });
  return createUnsoundRows<StepRow>({
    sound: isSound,
    place: ({ agent, number }) => ({ agent, number }),
    edited: (row) => add(row, "edited", "it is not what its digest was made of"),
    reordered: (row, other) => add(row, "reordered", `it was written as ${stepName(other)}`),
  });
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

function stepsAfter(last: StepRow | undefined, agent: string | undefined) {
  const from = last ? sql`(agent, number) > (${last.agent}, ${last.number})` : raw("1 = 1");
  const whose = agent === undefined ? raw("") : sql` and agent = ${agent}`;
  return sql`select * from steps where ${from}${whose} order by agent, number limit ${page}`;
}

async function endsOf({ db }: Walk, rows: readonly StepRow[]): Promise<Map<string, ChainEnd>> {
  if (rows.length === 0) return new Map();
  const agents = [...new Set(rows.map(({ agent }) => agent))].map((agent) => sql`${agent}`);
  const ends = await db.all<ChainEnd & { agent: string }>(
    sql`select agent, number, digest from chains where agent in (${joinQueries(agents, ", ")})`,
  );
  return new Map(ends.map((end) => [end.agent, end]));
}

async function endsWithoutSteps({ db, agent, faults }: Walk): Promise<void> {
  const whose = agent === undefined ? raw("") : sql`and c.agent = ${agent}`;
  const ends = await db.all<ChainEnd & { agent: string }>(sql`select * from chains c
    where not exists (select 1 from steps s where s.agent = c.agent) ${whose} limit ${1000}`);
  for (const { agent: name, number } of ends) {
    const reason = "the chain of receipts has an end and no steps";
    const chain = chainName({ agent: name });
    faults.add({ table: "steps", row: linkName(chain, "step", 1, number), what: "missing", reason });
    faults.add({ table: "chains", row: chain, what: "extra", reason });
  }
}
