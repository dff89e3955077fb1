import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createAutomaton } from "../../charter/src/channels/automaton/automaton.ts";
import type { Model } from "../../charter/src/delivery/model.ts";
import { createHost } from "../../charter/src/host/create-host.ts";
import { sqlite } from "../../charter/src/store/home/sqlite/sqlite.ts";
import { createStore } from "../../charter/src/store/store.ts";
import { scriptedModel } from "../../charter/src/testing/scripted-model.ts";
import type { Report } from "../report.ts";
import { type Contender, inRounds, ratioOf, timeOf } from "../rounds.ts";

const agent = "nova";
/** So many turns of each kind are on the clock in a round. */
const each = 10;

/** What a turn by a message costs beside a plain one of the same agent: taking the message, state, reply and exchange. */
export async function inbox(rounds: number): Promise<Report> {
  const folder = mkdtempSync(join(tmpdir(), "charter-inbox-"));
  const store = await createStore(sqlite(join(folder, "charter.db")));
  try {
    const scripted = scriptedModel(["Fine."], { repeatLast: true });
    // Its requests are not kept: they would be the most that is in memory.
    const model: Model = {
      receiver: scripted.receiver,
      ask: (request, about) => scripted.ask(request, about).finally(() => scripted.requests.splice(0)),
    };
    const clock = () => new Date();
    const host = createHost({ store, clock, loadModel: async () => model, env: {} });
    await store.agents.add({ name: agent, charter: "sovereign" });
    await store.automata.record(agent, [], { ownTurnAt: clock().toISOString() });
    const automaton = createAutomaton({ host, agent, clock, everyMs: Number.POSITIVE_INFINITY });
    const wrong: string[] = [];
    let [posted, asked] = [0, 0];
    const steps = (work: (index: number) => unknown) => Array.from({ length: each }, (_, index) => () => work(index));
    const bodyOf = (number: number) => `What does number ${number} cost?`;
    const plain = (where: object) => () =>
      steps(async (index) => {
        const outcome = await host.runTurn({ agent, user: `user-${index}`, input: bodyOf(asked++), ...where });
        if (outcome.reply !== "Fine.") wrong.push(`A plain turn came to ${JSON.stringify(outcome)}.`);
      });
    const post = async () => {
      await store.inbox.post({ agent, sender: `shop/user-${posted % each}`, body: bodyOf(posted) });
      posted += 1;
    };
    for (let index = 0; index < each; index++) await post();
    const contenders: Contender[] = [
      { name: "plain", units: each, prepare: plain({ session: "none" }) },
      { name: "session", units: each, prepare: plain({}) },
      {
        name: "inbox",
        units: each,
        prepare: () =>
          steps(async () => {
            if ((await automaton.tick()) !== 1) wrong.push("A look at the inbox came to no turn.");
          }),
        // Whoever was answered writes again, off the clock: one message a turn.
        settle: post,
      },
    ];
    const times = await inRounds(contenders, rounds);
    const replies = (await store.inbox.listReplies(agent, { limit: 1000, offset: posted - each - 1 })).length;
    if (replies !== 1) wrong.push(`Of ${posted} messages not all were answered.`);
    await automaton.stop(0);
    return {
      title: "Inbox  a turn by a message beside a plain one of the same sovereign agent, on SQLite, stub model",
      about: "0.7 of a plain turn's turns in a second are 1.43 of its time",
      rows: [
        {
          case: "inbox",
          what: "a plain turn",
          time: timeOf(times, "plain"),
          note: "without a session, as an inbox turn",
        },
        { case: "inbox", what: "a plain turn in a session", time: timeOf(times, "session") },
        {
          case: "inbox",
          what: "an inbox turn",
          time: timeOf(times, "inbox"),
          ratio: { ...ratioOf(times, "inbox", "plain"), of: "a plain turn" },
          target: 1.43,
          note: `${(1000 / timeOf(times, "inbox").median).toFixed(0)} beside ${(1000 / timeOf(times, "plain").median).toFixed(0)} turns/s`,
        },
      ],
      wrong,
    };
  } finally {
    await store.close();
    rmSync(folder, { recursive: true, force: true });
  }
}
