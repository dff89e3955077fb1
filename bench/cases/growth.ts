import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { staleRevision } from "../../charter/src/amend/guards/permission.ts";
import { assistant } from "../../charter/src/charters/assistant/assistant.ts";
import type { AmendmentContext, Store } from "../../charter/src/store/index.ts";
import { verifyStore } from "../../charter/src/store/verify/verify.ts";
import { root, spawned } from "../process.ts";
import type { Report, Row } from "../report.ts";
import { type Contender, inRounds, ratioOf, timeOf } from "../rounds.ts";
import { storeWithAmendments, storeWithUsers } from "../workloads/filled.ts";

const { charter } = assistant();
const desk: AmendmentContext = { charter, scope: { agent: "ada" }, rules: () => ({ guards: [staleRevision] }) };
const each = 20;

/** What a change and a read cost when there is much behind them, beside when there is little. */
export async function growth(rounds: number, quick: boolean): Promise<Report> {
  const folder = mkdtempSync(join(tmpdir(), "charter-growth-"));
  const sizes = quick ? [10, 1000, 10_000] : [10, 1000, 100_000];
  const stores: Store[] = [];
  try {
    for (const size of sizes) stores.push(await storeWithAmendments(join(folder, `${size}.db`), size));
    const contenders = sizes.flatMap((size, index) => operations(size, stores[index] as Store));
    const times = await inRounds(contenders, rounds);
    const [least, ...more] = sizes.map(String);
    const rows: Row[] = ["propose", "read", "history page"].flatMap((what) => [
      { case: "growth", what: `${what}, ${least} amendments`, time: timeOf(times, `${what} ${least}`) },
      ...more.map((size) => ({
        case: "growth",
        what: `${what}, ${size}`,
        time: timeOf(times, `${what} ${size}`),
        ratio: { ...ratioOf(times, `${what} ${size}`, `${what} ${least}`), of: least as string },
        target: 1.5,
      })),
    ]);
    return {
      title: "Growth  one section's amendments",
      about: "through store.propose and store.standings.read on SQLite; verify's exponent between the two largest",
      rows: [...rows, await verifyRow(stores[1] as Store, stores[2] as Store, sizes)],
      wrong: [],
    };
  } finally {
    for (const store of stores) await store.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

function operations(size: number, store: Store): Contender[] {
  let count = 0;
  const times = (work: () => Promise<unknown>) => [
    async () => {
      for (let index = 0; index < each; index++) await work();
    },
  ];
  const rewrite = () => {
    count++;
    const operation = { kind: "rewrite" as const, content: `One more: ${count}.` };
    return store.propose(desk, { section: "soul", operation, actor: "operator" });
  };
  return [
    { name: `propose ${size}`, units: each, prepare: () => times(rewrite) },
    { name: `read ${size}`, units: each, prepare: () => times(() => store.standings.read(charter, desk.scope)) },
    {
      name: `history page ${size}`,
      units: each,
      prepare: () => times(() => store.history.list(desk.scope, "soul", { limit: 20 })),
    },
  ];
}

/** 1 is linear. */
async function verifyRow(small: Store, large: Store, [, less = 1, max = 1]: readonly number[]): Promise<Row> {
  const took = async (store: Store) => {
    const began = performance.now();
    const { faults } = await verifyStore(store.home, {});
    if (faults.length > 0) throw new Error(`verify found ${JSON.stringify(faults[0])}`);
    return performance.now() - began;
  };
  await took(small);
  const [a, b] = [await took(small), await took(large)];
  const exponent = Math.log(b / a) / Math.log(max / less);
  const note = `${Math.round(a)} ms for ${less}, ${Math.round(b)} ms for ${max}`;
  return { case: "growth", what: "verify, exponent", figure: Math.round(exponent * 100) / 100, target: 1.15, note };
}

/** The command on a store of many users, beside one of ten. */
export async function users(rounds: number, quick: boolean): Promise<Report> {
  const folder = mkdtempSync(join(tmpdir(), "charter-users-"));
  const sizes = [10, quick ? 10_000 : 1_000_000];
  try {
    for (const size of sizes) await (await storeWithUsers(join(folder, `${size}.db`), size)).close();
    const env = { ...process.env, TMPDIR: folder };
    const command = (size: number) => [
      join(root, "charter/bin/charter.js"),
      ..."show --agent ada --user user-7 --channel web --database".split(" "),
      join(folder, `${size}.db`),
    ];
    const times = await inRounds(
      sizes.map((size) => spawned(String(size), command(size), env)),
      rounds,
    );
    const [few = "", many = ""] = sizes.map(String);
    return {
      title: "Users  `charter show --agent ada --user user-7`",
      about: "to its first byte, with so many users' instructions in the SQLite file",
      rows: [
        { case: "users", what: `${few} users`, time: timeOf(times, few) },
        {
          case: "users",
          what: `${many} users`,
          time: timeOf(times, many),
          ratio: { ...ratioOf(times, many, few), of: few },
          target: 1.1,
        },
      ],
      wrong: [],
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The first page of a long history, beside the same query in a script of its own. */
export async function historyStart(rounds: number, quick: boolean): Promise<Report> {
  const folder = mkdtempSync(join(tmpdir(), "charter-history-"));
  try {
    const path = join(folder, "charter.db");
    await (await storeWithAmendments(path, quick ? 1000 : 100_000)).close();
    const bare = join(folder, "bare.mjs");
    const { writeFileSync } = await import("node:fs");
    writeFileSync(
      bare,
      `import { DatabaseSync } from "node:sqlite";
const rows = new DatabaseSync(${JSON.stringify(path)}).prepare("select * from amendments where agent = ? and user_id = ? and section = ? order by revision desc limit 20").all("ada", "", "soul");
process.stdout.write(rows.map((row) => [row.revision, row.at, row.actor, row.operation, row.reason].join("  ")).join("\\n") + "\\n");
`,
    );
    const env = { ...process.env, TMPDIR: folder };
    const command = [join(root, "charter/bin/charter.js"), ..."history --agent ada soul --database".split(" "), path];
    const times = await inRounds([spawned("bare", [bare], env), spawned("charter", command, env)], rounds);
    return {
      title: "History  the first page of 100,000 amendments, from a cold start",
      about: "bare = the same query in a script of its own, on the same Node",
      rows: [
        { case: "history", what: "bare script", time: timeOf(times, "bare") },
        {
          case: "history",
          what: "charter history",
          time: timeOf(times, "charter"),
          ratio: { ...ratioOf(times, "charter", "bare"), of: "bare" },
          target: 1.5,
        },
      ],
      wrong: [],
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
