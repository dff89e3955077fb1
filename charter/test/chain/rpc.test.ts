import { expect, test } from "vitest";
import { createRpcClient } from "../../src/channels/chain/rpc-client.ts";
import { onHome } from "../store/contract/given.ts";
import { bo, type Reading, type ReadingOptions, readingHere } from "./reading.ts";
import { createScriptedChain, type LogFilter, tx } from "./scripted-chain.ts";
import { type Misbehaviour, refuse, say } from "./scripted-rpc.ts";

const says = (body: string) => tx({ sender: bo, body });
const busy: Misbehaviour = (_, response) => say(response, "Slow down.", 429, { "retry-after": "30" });
const range = (params: readonly unknown[]) => {
  const { fromBlock, toBlock } = params[0] as LogFilter;
  return fromBlock === undefined ? 1 : Number(toBlock) - Number(fromBlock) + 1;
};

onHome("sqlite", "addresses of a chain", (given) => {
  const read = async (more: Partial<ReadingOptions> = {}) => {
    const agent = await given.agent();
    const settings = { confirmations: 1, ...more.settings };
    return readingHere({ store: given.store, agent, clock: given.clock.now, ...more, settings });
  };
  const cursorOf = ({ agent, settings }: Reading) =>
    given.store.chain.cursor({ agent, chain: settings.id, contract: settings.contract });

  const faults: readonly (readonly [string, Misbehaviour])[] = [
    ["429", busy],
    ["429 without a word", (_, response) => say(response, "", 429)],
    ["502", (_, response) => say(response, "<html>Bad gateway</html>", 502)],
    ["no JSON", (_, response) => say(response, "<html>Welcome!</html>")],
    ["half an answer", (_, response) => say(response, '{"jsonrpc":"2.0","id":1,"resu')],
    ["another's answer", ({ id }, response) => say(response, { jsonrpc: "2.0", id: id + 1, result: "0x1" })],
    ["nothing at all", ({ id }, response) => say(response, { jsonrpc: "2.0", id })],
    ["a list", (_, response) => say(response, [])],
    ["null", (_, response) => say(response, "null")],
    ["numbers that are none", ({ id }, response) => say(response, { jsonrpc: "2.0", id, result: { number: "0xzz" } })],
    ["words for everything", ({ id }, response) => say(response, { jsonrpc: "2.0", id, result: "hello" })],
    ["an error of its own", (call, response) => refuse(call, response, -32_603, "Internal error")],
    [
      "a broken line",
      (_, response) => {
        response.destroy();
        return true;
      },
    ],
    ["silence", () => true],
  ];

  test.each(faults)("one that answers with %s does not stop the others", async (what, fault) => {
    const options = what === "silence" ? { timeoutMs: 1500 } : {};
    const { chain, reader, rpcs, inbox } = await read({ addresses: 2, options });
    chain.mine([says("Hello?")]);
    rpcs[0]?.behave(fault);
    expect(await reader.tick()).toBe(1);
    expect(await inbox()).toEqual(["waiting: Hello?"]);
  });

  test.each(faults)("alone with %s, it is told, waited for, and goes on by itself", async (what, fault) => {
    const options = what === "silence" ? { timeoutMs: 1500 } : {};
    const reading = await read({ options });
    const { chain, reader, rpc, inbox, logged } = reading;
    chain.mine([says("One.")]);
    await reader.tick();
    chain.mine([says("Two.")]);
    // From the first question on, or only when it is asked for events.
    for (const from of ["eth_getBlockByNumber", "eth_getLogs"]) {
      rpc.behave((call, response) => call.method === from && fault(call, response));
      expect(await reader.tick()).toBe(0);
      const { problem } = (await cursorOf(reading)) as { problem: string };
      expect(problem).toContain(rpc.host);
      expect(problem).not.toContain("secret-key");
      const asked = rpc.calls.length;
      await reader.tick();
      const rests = what !== "an error of its own";
      if (rests) expect(rpc.calls.length).toBe(asked);
      rpc.behave(undefined);
      given.clock.move(61_000);
    }
    expect(await reader.tick()).toBe(1);
    expect(await cursorOf(reading)).toMatchObject({ problem: null });
    expect(await inbox()).toEqual(["waiting: One.", "waiting: Two."]);
    expect(JSON.stringify(logged)).not.toContain("secret-key");
  });

  test("it is left alone for as long as it asks, and longer and longer after each failure", async () => {
    const { chain, reader, rpc } = await read();
    chain.mine();
    await reader.tick();
    const asks = async () => {
      const before = rpc.calls.length;
      await reader.tick();
      return rpc.calls.length > before;
    };
    rpc.behave(busy);
    expect(await asks()).toBe(true);
    given.clock.move(29_000);
    expect(await asks()).toBe(false);
    given.clock.move(1000);
    rpc.behave((_, response) => say(response, "", 503));
    expect(await asks()).toBe(true);
    for (const wait of [1000, 2000, 4000, 8000]) {
      given.clock.move(wait - 1);
      expect(await asks()).toBe(false);
      given.clock.move(1);
      expect(await asks()).toBe(true);
    }
    given.clock.move(16_000);
    rpc.behave(undefined);
    expect(await asks()).toBe(true);
  });

  test("what is too much at once is asked for in smaller pieces, and nothing is left out", async () => {
    const { chain, reader, rpc, inbox } = await read();
    const bodies = Array.from({ length: 20 }, (_, index) => `Number ${String(index).padStart(2, "0")}.`);
    for (const body of bodies) chain.mine([says(body)], 13);
    const asked: number[] = [];
    rpc.behave((call, response) => {
      if (call.method !== "eth_getLogs") return false;
      const blocks = range(call.params);
      asked.push(blocks);
      return blocks > 25 ? refuse(call, response, -32_005, "query returned more than 10000 results") : false;
    });
    expect(await reader.tick()).toBe(20);
    expect(await inbox()).toEqual(bodies.map((body) => `waiting: ${body}`));
    expect(asked.slice(0, 5)).toEqual([280, 140, 70, 35, 17]);
    expect(asked.filter((blocks) => blocks > 25).length).toBeLessThan(asked.length / 2);
  });

  test("one that lags behind is not taken for a reorganisation, nor one that is on its own", async () => {
    const { chain, reader, rpcs, inbox, logged } = await read({ addresses: 2 });
    const [first, second] = rpcs;
    chain.mine([says("One.")], 3);
    await reader.tick();
    second?.see(chain, 4);
    first?.behave(busy);
    await reader.tick();
    chain.mine([says("Two.")]);
    given.clock.move(31_000);
    first?.behave(undefined);
    await reader.tick();
    const alone = createScriptedChain("alone");
    alone.mine([says("Alone.")], chain.head() - 1);
    first?.see(alone);
    second?.see(chain);
    await reader.tick();
    chain.mine([says("Three.")]);
    await reader.tick();
    expect(await inbox()).toEqual(["waiting: One.", "waiting: Three.", "waiting: Two."]);
    expect(logged.filter(({ kind }) => kind === "reorganised")).toEqual([]);
  });

  test("who sends replies is told by one that is as far as any, whichever was given first", async () => {
    const addresses = await read({ addresses: 2 });
    const { chain, rpcs, settings } = addresses;
    const rpc = createRpcClient({ addresses: settings.rpc, clock: given.clock.now, random: () => 1 });
    const reader = addresses.another({ rpc });
    chain.mine([says("One.")], 9);
    rpcs[0]?.see(chain, 4);
    const head = async () => Number(Object(await rpc.request("eth_getBlockByNumber", ["latest", false])).number);
    const before = await head();
    await reader.tick();
    expect([before, await head()]).toEqual([6, 10]);
    rpcs[1]?.behave(busy);
    expect(await head()).toBe(6);
  });

  test("all that lag behind are waited for, and it is said", async () => {
    const reading = await read();
    const { chain, reader, rpc, inbox } = reading;
    chain.mine([says("One.")], 9);
    await reader.tick();
    rpc.see(chain, 6);
    await reader.tick();
    const problem = "The addresses of the chain are at block 4; block 10 was read already.";
    expect(await cursorOf(reading)).toMatchObject({ problem, last: { block: 10 } });
    rpc.see(chain);
    chain.mine([says("Two.")]);
    await reader.tick();
    expect(await cursorOf(reading)).toMatchObject({ problem: null, last: { block: 11 } });
    expect(await inbox()).toEqual(["waiting: One.", "waiting: Two."]);
  });

  test("one that is of another chain is never read", async () => {
    const reading = await read({ addresses: 2 });
    const { chain, reader, rpcs, inbox, logged } = reading;
    chain.mine([says("Right.")]);
    const wrong = createScriptedChain("wrong");
    wrong.mine([says("Wrong.")], 50);
    rpcs[0]?.see(wrong);
    rpcs[0]?.behave(
      ({ method, id }, response) => method === "eth_chainId" && say(response, { jsonrpc: "2.0", id, result: "0x1" }),
    );
    await reader.tick();
    expect(await inbox()).toEqual(["waiting: Right."]);
    expect(logged[0]).toMatchObject({ kind: "address-trouble", host: rpcs[0]?.host, code: "wrong-chain" });
  });

  test("events of another contract, of other blocks, taken back, or twice, are not taken", async () => {
    const reading = await read();
    const { chain, reader, rpc, inbox } = reading;
    chain.mine([says("Once.")], 2);
    type Told = Record<string, unknown>;
    const changes: readonly ((log: Told) => Told)[] = [
      (log) => ({ ...log, address: bo }),
      (log) => ({ ...log, removed: true }),
      (log) => ({ ...log, blockHash: null }),
      (log) => ({ ...log, data: "0x1234" }),
      (log) => ({ ...log, topics: (log.topics as string[]).slice(1) }),
      (log) => ({
        ...log,
        topics: [...(log.topics as string[]).slice(0, 2), `0x${"0".repeat(64)}`, `0x${"0".repeat(64)}`],
      }),
    ];
    const elsewhere = (log: Told) => ({ ...log, blockNumber: "0x63" });
    for (const change of [...changes, elsewhere]) {
      rpc.behave(({ method, params, id }, response) => {
        if (method !== "eth_getLogs") return false;
        const told = (chain.answer(method, params) as Told[]).map(change);
        return say(response, { jsonrpc: "2.0", id, result: told });
      });
      expect(await reader.tick()).toBe(0);
      const where = change === elsewhere ? "the blocks 1 to 3" : "block 1";
      const problem = `${rpc.host}: what it tells of ${where} is no event of the contract.`;
      expect((await cursorOf(reading))?.problem).toBe(problem);
      // While it is left alone, that is still what is wrong.
      await reader.tick();
      expect((await cursorOf(reading))?.problem).toContain(problem);
      given.clock.move(61_000);
    }
    rpc.behave(({ method, params, id }, response) => {
      if (method !== "eth_getLogs") return false;
      const told = chain.answer(method, params) as Told[];
      return say(response, { jsonrpc: "2.0", id, result: [...told, ...told] });
    });
    expect(await reader.tick()).toBe(1);
    expect(await inbox()).toEqual(["waiting: Once."]);
  });

  test("one that turns out to be of another chain later takes nothing back", async () => {
    const reading = await read({ addresses: 2 });
    const { chain, reader, rpcs, inbox, logged } = reading;
    const [first, second] = rpcs;
    chain.mine([says("Right.")]);
    await reader.tick();
    const wrong = createScriptedChain("wrong");
    wrong.mine([says("Wrong.")], 50);
    first?.see(wrong);
    first?.behave(
      ({ method, id }, response) => method === "eth_chainId" && say(response, { jsonrpc: "2.0", id, result: "0x1" }),
    );
    await reader.tick();
    second?.behave(busy);
    given.clock.move(61_000);
    await reader.tick();
    expect((await cursorOf(reading))?.problem).toContain("is an address of chain 1; the settings say 31337.");
    chain.mine([says("Right again.")]);
    second?.behave(undefined);
    given.clock.move(61_000);
    await reader.tick();
    expect(await inbox()).toEqual(["waiting: Right again.", "waiting: Right."]);
    expect(logged.filter(({ kind }) => kind === "reorganised")).toEqual([]);
  });

  test("a chain on which nothing happens is read all the same, and it is noted", async () => {
    const reading = await read();
    const { chain, reader } = reading;
    chain.mine([says("Once.")], 2);
    await reader.tick();
    given.clock.move(3_600_000);
    await reader.tick();
    expect((await cursorOf(reading))?.readAt).toBe(given.clock.text());
  });

  test("a chain that is reorganised while it is read is read again", async () => {
    const { chain, reader, rpc, inbox } = await read();
    const one = says("Moves.");
    chain.mine([one], 1);
    let moved = false;
    rpc.behave(({ method, params, id }, response) => {
      if (method !== "eth_getLogs" || moved) return false;
      moved = true;
      const told = chain.answer(method, params);
      chain.reorganise(2, [[], [one], []]);
      return say(response, { jsonrpc: "2.0", id, result: told });
    });
    await reader.tick();
    await reader.tick();
    expect(await inbox()).toEqual(["waiting: Moves."]);
  });
});
