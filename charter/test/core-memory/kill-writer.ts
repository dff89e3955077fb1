import { writeSync } from "node:fs";
import { Socket } from "node:net";
import { createHost } from "../../src/host/create-host.ts";
import { createStore, type Home, postgres, type Store, sqlite } from "../../src/store/index.ts";
import { calls, scripted } from "../agent/model.ts";

/** How a core memory is written, and where the process that writes it ends, without a word. */
export type WriterOrders = {
  readonly url: string;
  readonly key: string;
  readonly relay: string;
  readonly by: "set" | "turn";
  readonly text: string;
  /** Which moment, counted from 1; of one kind, where that is said. */
  readonly die?: { readonly moment?: string; readonly count: number };
};

/** What it told when it came to its end. */
export type WriterReport = { readonly moments: readonly string[]; readonly said: unknown };

/**
 * Moments: it asks the store, and has its answer; all of a change is in the transaction (`commit`), it is committed; it
 * connects to its relay, is about to write to it, has written, and hears from it. Each before the change, in it (`change`), or after.
 */
async function work({ url, key, relay, by, text, die }: WriterOrders): Promise<void> {
  const moments: string[] = [];
  let phase = "before";
  const reached = (kind: string) => {
    const moment = `${kind} ${phase}`;
    moments.push(moment);
    if (moment === "committed change") phase = "after";
    const count = die?.moment === undefined ? moments.length : moments.filter((one) => one === die.moment).length;
    if (die && (die.moment ?? moment) === moment && count === die.count) process.kill(process.pid, "SIGKILL");
  };
  const opened = await createStore(watched(/^postgres/.test(url) ? postgres(url) : sqlite(url), reached));
  const store: Store = {
    ...opened,
    propose: (...given) => {
      if (phase === "before") phase = "change";
      return opened.propose(...given);
    },
  };
  const model = scripted([calls(["update_core_memory", { operation: "rewrite", content: text }]), "Done."]);
  const host = createHost({ store, loadModel: async () => model, env: {}, keys: { ada: { file: key } } });
  watchWire(Number(new URL(relay).port), reached);
  moments.length = 0;
  const said = by === "turn" ? await turn() : await set();
  writeSync(1, `${JSON.stringify({ moments: [...moments], said } satisfies WriterReport)}\n`);
  await host.close(0);
  await store.close();

  async function turn() {
    const { state } = await host.runTurn({ id: "killed", agent: "ada", input: "Write it down.", user: null });
    return { state };
  }
  async function set() {
    const operation = { kind: "rewrite" as const, content: text };
    const context = await host.amendmentContext({ agent: "ada" });
    const { verdict, publication } = await store.propose(context, { section: "core", operation, actor: "operator" });
    return { verdict, publication };
  }
}

type Reached = (kind: string) => void;

function watched(home: Home, reached: Reached): Home {
  return {
    ...home,
    read: async (reach, look) => {
      reached("read");
      return home.read(reach, look);
    },
    write: async (reach, change) => {
      reached("write");
      const result = await home.write(reach, async (db) => {
        const made = await change(db);
        reached("commit");
        return made;
      });
      reached("committed");
      return result;
    },
  };
}

function watchWire(port: number, reached: Reached): void {
  const { write, emit } = Socket.prototype;
  Socket.prototype.write = function (this: Socket, ...given: never[]) {
    if (this.remotePort !== port) return write.apply(this, given as never);
    reached("send");
    const result = write.apply(this, given as never);
    reached("sent");
    return result;
  } as never;
  Socket.prototype.emit = function (this: Socket, name: string, ...given: never[]) {
    if (this.remotePort === port && (name === "connect" || name === "data")) reached(name);
    return (emit as (...all: unknown[]) => boolean).call(this, name, ...given);
  } as never;
}

const [, program, orders] = process.argv;
if (orders !== undefined && program === import.meta.filename) await work(JSON.parse(orders));
