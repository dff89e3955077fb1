import { parseEther, toFunctionSelector } from "viem";
import { expect, onTestFinished, test } from "vitest";
import { newFile } from "../../homes.ts";
import { createRandom } from "../../properties/hostile-words.ts";
import { isWhole, seed, times } from "../../tiers/search.ts";
import { startInbox } from "../chain-process.ts";
import { compileAttackers } from "./attackers.ts";
import { checkFates, costsOf } from "./real-chain-check.ts";
import { agent, createHostileLife } from "./real-chain-life.ts";
import { contractMoney, createThrower, type Thrown, type Volley } from "./real-chain-posts.ts";

const rounds = times(14);
const perRound = 25;
const smallDay = "0.0005";
const replySelector = toFunctionSelector("reply(bytes32,bytes)");

/** The contract as it is, on a real chain, and everybody after the agent that lives there. Minutes: not for a slice. */
test.runIf(isWhole)(
  `${rounds * perRound} hostile posts on a real chain: what the contract took is answered once or dead, and nothing else is a message`,
  async () => {
    const bytecode = await compileAttackers();
    const inbox = await startInbox();
    onTestFinished(inbox.process.kill);
    const { chain } = inbox;
    const place = await newFile();
    onTestFinished(place.remove);
    const thrower = await createThrower(inbox, bytecode);
    await chain.automine(false);
    const life = await createHostileLife(inbox, place);
    onTestFinished(life.close);
    const random = createRandom(seed);
    const thrown: Thrown[] = [];
    let [posts, refused, again] = [0, 0, 0];
    const note = (volley: Volley) => {
      thrown.push(...volley.thrown);
      posts += volley.posts;
      refused += volley.refused;
      return volley.thrown;
    };

    // Some who only ask; and so little may be spent in a day that most replies wait.
    await life.live({ counterparts: 1, maxFeePerDay: smallDay });
    note(await thrower.deploy(0));
    note(await thrower.plain(10, 40));
    await life.settle({ mayHold: true });
    await life.live({ counterparts: 5, maxFeePerDay: smallDay });
    note(await thrower.plain(50, 40));
    await life.settle({ mayHold: true });
    await life.live({ counterparts: 1, maxFeePerDay: smallDay });
    note(await thrower.plain(90, 40));
    await life.settle({ mayHold: true });
    const held = await life.store.chain.replies.list({ agent, chain: 31337, contract: inbox.contract }, "held");
    expect(held.length).toBeGreaterThan(10);
    for (const { reason } of held) expect(reason).toMatch(/passes maxFeePerDay \(0\.0005 ETH/);
    const little = (await costsOf(inbox, inbox.agent, replySelector)).reduce((sum, { fee }) => sum + fee, 0n);
    expect(little > 0n && little <= parseEther(smallDay)).toBe(true);
    life.wire.endPlain();

    for (let round = 0; round < rounds; round++) {
      if (round % 5 === 0) await life.live({ counterparts: round % 2 === 0 ? 5 : 1, maxFeePerDay: "100" });
      const rows = await life.rows();
      const other = () => rows[Math.floor(random() * rows.length)]?.message as string;
      if (round === 4 || round === 9) await thrower.delegate(round === 4);
      const snapshot = await chain.snapshot();
      const before = await chain.block();
      await thrower.mineAs("even");
      const either = note(await thrower.either(1080 + round * 100));
      expect(either).toHaveLength(1);
      const some = [
        ...note(await thrower.volley(1000 + round * 100, perRound, other)),
        ...note(await thrower.whilePaid(1090 + round * 100, round >= 4 && round < 9 ? "agent" : "contract")),
      ];
      // They were read, and may be answered by now, when their blocks go.
      await life.mineUntil(async () => (await life.rows()).some(({ tx }) => tx === either[0]?.tx));
      if (round % 3 === 1) {
        const length = (await chain.block()) - before;
        await chain.revert(snapshot);
        await thrower.mineAs("odd");
        again += await thrower.again([...some, ...either]);
        await chain.mine(length + 1);
      }
    }
    await life.settle();

    const { faults, ...fates } = await checkFates(inbox, life, thrown);
    const figures = { posts, thrown: thrown.length, refused, again, ...fates, requests: life.requests() };
    process.stdout.write(`${JSON.stringify(figures)}\n`);
    expect([...new Set(faults)].slice(0, 20)).toEqual([]);
    expect(fates.answered + fates.dead).toBe(fates.taken);
    if (isWhole) for (const [what, count] of Object.entries(figures)) expect([what, count > 0]).toEqual([what, true]);
    for (const { fee } of await costsOf(inbox, inbox.agent, replySelector))
      expect(fee).toBeLessThan(parseEther("0.01"));
    // Nothing but what its own address was given, less what that has spent.
    const spent = (await costsOf(inbox, inbox.contract)).reduce((sum, { fee, value }) => sum + fee + value, 0n);
    expect(await inbox.kept()).toBe(contractMoney - spent);
  },
);
