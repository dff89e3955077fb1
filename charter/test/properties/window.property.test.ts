import { afterAll, expect, test } from "vitest";
import type { Message, ModelRequest } from "../../src/delivery/model.ts";
import type { Store } from "../../src/store/index.ts";
import { provesRequests } from "../agent/proof.ts";
import { newStage, type Stage } from "../agent/stage.ts";
import { runs } from "../tiers/search.ts";
import { alwaysAsync } from "./generate.ts";
import { inputOf, leastOf, type NarrowSession, narrowProvider, narrowSessions, type Seen, unpaired } from "./narrow.ts";

const stage: Stage = await newStage();
const stores: readonly Store[] = [stage.store, await stage.another()];
afterAll(() => stage.close());
let users = 0;
const count = { answered: 0, refused: 0, askedAgain: 0, summed: 0, wentOn: 0 };

const plain = ({ breakpoint: _, ...message }: Message & { breakpoint?: true }) => message;

async function holds(session: NarrowSession): Promise<void> {
  const { model, page, seen } = narrowProvider(session);
  const user = `user-${++users}`;
  const agents = stores.map((store) => stage.agent(model, { store, tools: [page] }));
  let before: ModelRequest | undefined;
  for (const [index, { process, input: halves }] of session.turns.entries()) {
    const agent = agents[process] as (typeof agents)[number];
    const input = inputOf(session, index);
    const [from, told] = [seen.length, agent.events.length];
    const outcome = await agent.runTurn({ input, user });
    const own = seen.slice(from);
    const kinds = agent.events.slice(told);
    expect(own.flatMap(({ request }) => unpaired(request))).toEqual([]);
    for (const [one, next] of pairs(own)) if (one.refused) expect(next.tokens).toBeLessThan(one.tokens);
    if (outcome.state === "answered") {
      count.answered += 1;
      expect(outcome.reply).toBe(`Answer ${index}.`);
    } else {
      count.refused += 1;
      expect(outcome.problem?.code).toBe("request-too-long");
      const sent = own.find(({ kind }) => kind === "step")?.request ?? before;
      // Beyond half a window, what comes with a call may be too much by itself.
      if (sent && halves <= 1) expect(leastOf(sent, input, session)).toBeGreaterThan(session.window);
    }
    await provesRequests(
      stores[1 - process] as Store,
      outcome.turn,
      own.map(({ request }) => request),
    );
    count.summed += kinds.filter(({ kind }) => kind === "compacted").length;
    const starts = kinds.flatMap((one) => (one.kind === "step-start" ? [one.prefixChange.how] : []));
    const first = own[0];
    if (before && first?.kind === "step" && starts[0] === "kept") {
      count.wentOn += 1;
      const known = before.messages.slice(0, -1).map(plain);
      expect(first.request.messages.slice(0, known.length).map(plain)).toEqual(known);
    }
    before = own.findLast(({ kind, refused }) => kind === "step" && !refused)?.request;
  }
}

/** Each request with the next of its kind. */
function pairs(seen: readonly Seen[]): [Seen, Seen][] {
  const found: [Seen, Seen][] = [];
  for (const [index, one] of seen.entries()) {
    const next = seen.slice(index + 1).find(({ kind }) => kind === one.kind);
    if (!next) continue;
    if (one.kind === "step") count.askedAgain += one.refused ? 1 : 0;
    // A summary that was given up is followed by another one, of another history.
    if (one.kind === "step" || seen[index + 1] === next) found.push([one, next]);
  }
  return found;
}

test("whatever a model takes, and however it counts, a session goes on: answered, shorter each time, paired, the same elsewhere", async () => {
  await alwaysAsync(narrowSessions, holds, runs(10, 150));
  expect(Object.entries(count).filter(([what, times]) => what !== "refused" && times === 0)).toEqual([]);
});
