import { sql } from "../../../src/store/home/sql.ts";
import type { Store } from "../../../src/store/index.ts";
import { eventually } from "../../eventually.ts";
import type { Place } from "../../homes.ts";
import { startTelegram } from "../../telegram/fake.ts";
import { movedClock } from "../clock.ts";
import { agents, openService } from "../opened.ts";
import { canary, createWatch, dice } from "./canary.ts";
import { type Act, type Acting, asking, type Ids, turns } from "./canary-acts.ts";
import { mischief } from "./canary-mischief.ts";
import { canaryModel, canaryTools } from "./canary-model.ts";
import { watchOutput } from "./canary-output.ts";
import { jwtSecret, newPerson, type Person } from "./canary-people.ts";
import { lookThroughRows } from "./canary-rows.ts";

export type CanaryOptions = {
  readonly turns: number;
  readonly people?: number;
  /** So much goes on at the same time. */
  readonly lanes?: number;
  readonly seed?: number;
};

/** What was looked through, and what was found where it has no business. */
export type CanaryFigures = {
  readonly turns: number;
  readonly requests: number;
  readonly answers: Readonly<Record<number, number>>;
  readonly messages: number;
  readonly lines: number;
  readonly rows: number;
  readonly runs: number;
  readonly faults: readonly string[];
};

/** Nobody's words may be seen where they are nobody's: looked for in everything that is sent, answered, logged and kept. */
export async function runCanaries(place: Place, options: CanaryOptions): Promise<CanaryFigures> {
  const { turns: wanted, people: count = 12, lanes = 12, seed = 7 } = options;
  const roll = dice(seed);
  const watch = createWatch();
  const clock = movedClock();
  const telegram = await startTelegram({ clock });
  const model = canaryModel(watch, roll, clock);
  let lines = 0;
  const line = (words: string) => {
    lines += 1;
    watch.look("a line of the log", words);
  };
  const unwatch = watchOutput((words) => watch.look("the output", words));
  const config = { jwt: { secret: jwtSecret }, tools: canaryTools, limits: { retries: 0 } };
  const service = await openService(place, { model, telegram, clock, line, config });
  try {
    const people: Person[] = [];
    for (let index = 0; index < count; index++)
      people.push(await newPerson(service, telegram, { key: keyOf(roll), chat: 7000 + index }));
    await telegram.until(() => telegram.world.sent.length >= count);
    const operator = service.as(await service.token({ kind: "operator" }));
    const answers: Record<number, number> = {};
    const ids: Ids = { turn: [], session: [], held: [], id: [] };
    let taken = 0;
    const actingAs = (number: number): Acting => {
      const person = people[roll(people.length)] as Person;
      const agent = agents[roll(agents.length)] as string;
      const word = (what: string) => canary(person.key, agent, `${what}${number}`);
      const counted: Acting["count"] = ({ status }) => {
        answers[status] = (answers[status] ?? 0) + 1;
      };
      return { person, agent, word, roll, watch, telegram, clock, ids, count: counted };
    };
    const lane = async () => {
      for (let number = ++taken; number <= wanted; number = ++taken) {
        const acting = actingAs(number);
        await nth(turns, number)(acting);
        if (number % 2 === 0) await nth(mischief, number / 2)(acting);
        if (number % 50 === 0) {
          const { person, agent } = acting;
          watch.look("the metrics", (await operator("GET /metrics")).text);
          await asking(acting, operator)(`GET /api/agents/${agent}/prompt?user=${person.id}`);
          telegram.says(9_000_000 + number, canary("stranger", "u", `words${number}`));
        }
      }
    };
    await Promise.all(Array.from({ length: lanes }, lane));
    // What someone wanted to be reminded of in a moment is due now.
    clock.reach(new Date(clock().getTime() + 5000).toISOString());
    await eventually(async () => telegram.pending() === 0 && !(await isBusy(service.store, clock)));
    watch.look("the metrics", (await operator("GET /metrics")).text);
    for (const { chat, text, before } of telegram.world.sent)
      watch.look(`a message to ${chat}`, [text, ...before].join("\n"), {
        person: people[chat - 7000]?.key ?? "",
        agent: "ada",
      });
    const rows = await lookThroughRows(service.store, place, watch);
    const [one] = await service.store.home.read("everything", (db) => db.all<Counted>(counting));
    const { turns: taking = 0, runs = 0 } = one ?? {};
    const messages = telegram.world.sent.length;
    return { turns: taking, requests: model.asked(), answers, messages, lines, rows, runs, faults: watch.faults };
  } finally {
    await service.close();
    await telegram.close();
    unwatch();
  }
}

type Counted = { readonly turns: number; readonly runs: number };
const counting = sql`select (select count(*) from turns) as turns, (select count(*) from runs) as runs`;

/** One after the other: all of them come, however few there are. */
function nth(acts: Readonly<Record<string, Act>>, number: number): Act {
  const all = Object.values(acts);
  return all[number % all.length] as Act;
}

/** Eight letters nobody else has. */
function keyOf(roll: (sides: number) => number): string {
  return Array.from({ length: 8 }, () => String.fromCharCode(97 + roll(26))).join("");
}

/** Whether something that came in, goes out or is due is still to be done; what waits for another try is not. */
async function isBusy(store: Store, clock: () => Date): Promise<boolean> {
  const soon = new Date(clock().getTime() + 1000).toISOString();
  const found = await store.home.read("everything", (db) =>
    db.one(sql`select 1 as there from turns where state = 'running'
      union all select 1 from updates where state in ('waiting', 'taken')
      union all select 1 from dispatches where state = 'waiting'
      union all select 1 from runs where state = 'running' or (state = 'waiting' and next_try_at <= ${soon})
      union all select 1 from schedules where next_at <= ${soon} limit 1`),
  );
  return found !== undefined;
}
