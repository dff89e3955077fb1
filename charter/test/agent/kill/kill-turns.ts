import { writeSync } from "node:fs";
import type { Database } from "../../../src/store/home/database.ts";
import { createStore, type Home, postgres, type Store, sqlite } from "../../../src/store/index.ts";
import { createKilledAgent, type Reached } from "./kill-agent.ts";

/** A moment of a turn, and which of them, counted from 1: there the process ends without a word. */
export type Death = { readonly moment: string; readonly count: number };

/** What to do: one turn, or turns without end for so many users at once. */
export type Orders = {
  readonly url: string;
  readonly file: string;
  readonly die?: Death;
  readonly turn?: { readonly id: string; readonly input: string; readonly user: string };
  readonly users?: number;
};

/** What was answered, told the moment it was. */
export type ToldTurn = { readonly turn: string; readonly state: string };

/** How often each moment came, told in the end by one that had one turn to take. */
export type ToldMoments = { readonly moments: Readonly<Record<string, number>> };

async function work({ url, file, die, turn, users = 1 }: Orders): Promise<void> {
  const moments: Record<string, number> = {};
  const reached = deathAt(die, moments);
  const home = /^postgres/.test(url) ? postgres(url) : sqlite(url);
  const doing = { what: "" };
  const store = watchedStore(await createStore(watchedHome(home, reached, doing)), reached, doing);
  const { agent } = createKilledAgent(store, file, { reached, on: ({ kind }) => reached(kind) });
  const run = async (user: string, input: string, id?: string) => {
    const outcome = await agent.runTurn({ input, user, ...(id === undefined ? {} : { id }) });
    const told: ToldTurn = { turn: outcome.turn, state: outcome.state };
    writeSync(1, `${JSON.stringify(told)}\n`);
  };
  if (turn) {
    await run(turn.user, turn.input, turn.id);
    writeSync(1, `${JSON.stringify({ moments } satisfies ToldMoments)}\n`);
    await store.close();
    return;
  }
  const forever = async (user: string) => {
    for (;;) await run(user, crypto.randomUUID());
  };
  await Promise.all(Array.from({ length: users }, (_, index) => forever(`user-${index}`)));
}

/** SIGKILL, as a machine that loses its power would: nothing is tidied up, nothing is flushed. */
function deathAt(die: Death | undefined, moments: Record<string, number>): Reached {
  return (moment) => {
    moments[moment] = (moments[moment] ?? 0) + 1;
    if (moment === die?.moment && moments[moment] === die.count) process.kill(process.pid, "SIGKILL");
  };
}

/**
 * Moments of a store. `came`, `propose`, `close`, `learn`, `baseline`: it is asked to keep what a step came to, an
 * amendment, the end of a turn, a window, a step with which the session starts from a new prefix. `commit`: all of a change is in the transaction, which is not committed; `committed`: it is. Both have what was
 * asked for behind them, as in `commit close`, which is only of use where one turn runs.
 */
function watchedStore(store: Store, reached: Reached, doing: Doing): Store {
  const asked = <Args extends unknown[], Result>(what: string, ask: (...args: Args) => Promise<Result>) => {
    return (...args: Args) => {
      reached(what);
      doing.what = what;
      return ask(...args);
    };
  };
  const { turns, propose, windows } = store;
  const { recordResult, recordStep, close } = turns;
  const recordBaseline = asked("baseline", recordStep);
  return {
    ...store,
    propose: asked("propose", propose),
    windows: { ...windows, learn: asked("learn", windows.learn) },
    turns: {
      ...turns,
      recordStep: (id, step) => (step.session?.baseline ? recordBaseline : recordStep)(id, step),
      recordResult: asked("came", recordResult),
      close: asked("close", close),
    },
  };
}

type Doing = { what: string };

function watchedHome(home: Home, reached: Reached, doing: Doing): Home {
  const both = (moment: string) => {
    reached(moment);
    reached(`${moment} ${doing.what}`);
  };
  return {
    ...home,
    write: async (reach, change, how) => {
      const changed = async (db: Database) => {
        const made = await change(db);
        both("commit");
        return made;
      };
      const result = await home.write(reach, changed, how);
      both("committed");
      return result;
    },
  };
}

const [, program, orders] = process.argv;
if (orders !== undefined && program === import.meta.filename) await work(JSON.parse(orders));
