import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { ChainPlace } from "../../../src/store/chain/chain-message.ts";
import { raw } from "../../../src/store/home/sql.ts";
import type { Store } from "../../../src/store/index.ts";
import { verifyStore } from "../../../src/store/verify/verify.ts";
import { charter } from "../../cli.ts";
import { homes, newPlace, type Place } from "../../homes.ts";
import { chainPost, postByChain } from "../chain-post.ts";
import { newStore } from "../desk.ts";

const contract = `0x${"c".repeat(40)}`;
const sender = `0x${"b".repeat(40)}`;
const tables = ["chain_cursors", "chain_blocks", "chain_messages", "chain_replies", "chain_balances"];

describe.each(homes)("what came by a chain, on %s", (name) => {
  let store: Store;
  let place: Place;
  let id: string;
  const where: ChainPlace = { agent: "ada", chain: 31_337, contract };
  beforeEach(async () => {
    place = await newPlace(name);
    store = await newStore(place.open());
    id = await postByChain(store, where, chainPost(), "Until six.");
  });
  afterEach(async () => {
    await store.close();
    await place.remove();
  });
  const rows = async (from = store) => {
    const all: Record<string, unknown> = {};
    for (const table of tables)
      all[table] = await from.home.read("everything", (db) =>
        db.all(raw(`select * from ${table} ${table === "chain_blocks" ? "order by block" : ""}`)),
      );
    return all;
  };
  const counts = async () =>
    Object.fromEntries(Object.entries(await rows()).map(([table, all]) => [table, (all as unknown[]).length]));

  test("goes with an export: the words, and where they stand on the chain", async () => {
    const { agents } = await store.export({ user: `counterpart:${sender}`, prompts: false });
    const [ada] = agents;
    expect(ada?.messages).toMatchObject([{ id, body: "Are you open?", status: "answered", channel: "chain" }]);
    expect(ada?.replies).toMatchObject([{ message: id, body: "Until six." }]);
    const { onChain, tx, blockHash, value } = chainPost();
    const at = ada?.messages[0]?.at;
    expect(ada?.chainMessages).toEqual([
      {
        message: id,
        cycles: null,
        chain: 31_337,
        contract,
        onChain,
        tx,
        place: 0,
        block: 5,
        blockHash,
        value,
        state: "included",
        at,
      },
    ]);
    expect(ada?.chainReplies).toMatchObject([{ message: id, state: "signed", tx: `0x${"9".repeat(64)}`, nonce: 1 }]);
    expect(JSON.stringify(ada?.chainReplies)).not.toContain("raw");
  });

  test("goes with a checkpoint, and is proved", async () => {
    const folder = mkdtempSync(join(tmpdir(), "charter-chain-"));
    const file = join(folder, "checkpoint");
    await store.checkpoint.save(file);
    const other = await newPlace(name);
    const copy = await newStore(other.open());
    await copy.checkpoint.restore(file, { replace: true });
    expect(await rows(copy)).toEqual(await rows());
    expect(await verifyStore(copy.home)).toMatchObject({ faults: [] });
    await copy.close();
    await other.remove();
    rmSync(folder, { recursive: true });
  });

  test("is erased here, and the command says that the chain keeps it", async () => {
    await store.close();
    const erase = (...more: readonly string[]) =>
      charter(["erase", "--counterpart", sender, "--database", place.url, ...more]).stdout;
    const said =
      "What was posted or replied on a chain stays there for everyone to read: no one can erase a transaction.";
    expect(erase()).toContain(said);
    const told = erase("--yes");
    expect(told).toContain(said);
    expect(told).toMatch(/chain_messages +1 +deleted/);
    store = await newStore(place.open());
    expect(await counts()).toEqual({
      ...{ chain_cursors: 1, chain_blocks: 3, chain_messages: 0, chain_replies: 0, chain_balances: 1 },
    });
    expect(await verifyStore(store.home)).toMatchObject({ faults: [] });
  });

  test("goes when its agent's words do", async () => {
    await store.remove("ada", { erase: true });
    expect(Object.values(await counts())).toEqual([0, 0, 0, 0, 0]);
    expect(await verifyStore(store.home)).toMatchObject({ faults: [] });
    const balance = { asset: "ETH", amount: "5", decimals: 18, symbol: "ETH", block: 10 };
    await store.chain.balances.set("ada", 1, balance);
    expect(await store.chain.balances.list("ada")).toEqual([]);
    await expect(store.chain.claim(where, { runner: "host:1", leaseMs: 1 })).rejects.toMatchObject({
      code: "agent-removed",
    });
  });
});
