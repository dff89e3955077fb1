import { createHost } from "../../../src/host/create-host.ts";
import type { Host } from "../../../src/host/host.ts";
import { checkOperator } from "../../../src/operations/caller.ts";
import { object, oneOf, text, whole } from "../../../src/operations/field.ts";
import { operation } from "../../../src/operations/operation.ts";
import { Problem } from "../../../src/prompt/problem.ts";
import type { Routes } from "../../../src/server/api.ts";
import { type ApiOptions, type App, createApi } from "../../../src/server/app.ts";
import type { LogEntry } from "../../../src/server/observe/log.ts";
import { operationRoutes } from "../../../src/server/operation-routes.ts";
import { createStore, type Store } from "../../../src/store/index.ts";
import { type Scripted, scripted } from "../../agent/model.ts";
import { newPlace } from "../../homes.ts";

const greet = operation({
  name: "greetings.say",
  says: "Greet someone",
  about: "Says hello, as often as wanted.",
  route: "POST /greet/{place}",
  who: "anyone",
  input: {
    place: text(),
    loud: oneOf(["yes", "no"]).inQuery().optional(),
    name: text("Whom.", { form: /./, reason: "must not be empty" }),
    times: whole("How often.", { most: 9 }).optional(),
  },
  answer: object({ said: text() }).named("Greeting"),
  run: async (_, { place, name, times = 1 }) => ({ said: `${place}: ${`Hello, ${name}! `.repeat(times).trim()}` }),
});

/** Routes of every kind the server's own work is seen with. */
export const sampleRoutes: Routes = (api, serving) => {
  operationRoutes([greet])(api, serving);
  api.get("/who", (context) => context.json(context.get("caller")));
  api.get("/places/:place", (context) => context.json({ place: context.req.param("place") }));
  api.get("/operator", (context) => {
    checkOperator(context.get("caller"), "this");
    return context.json({ secret: 42 });
  });
  api.get("/problem/:code", (context) => {
    throw new Problem(context.req.param("code"), "At db.internal:5432 it went wrong.", "Fix db.internal.");
  });
  api.get("/broken", () => {
    throw new TypeError("The words of Ada: my password is hunter2");
  });
  api.get("/thrown", () => {
    throw "a word";
  });
  api.post("/any", async (context) => context.json({ length: (await context.req.text()).length }));
};

export type Core = {
  readonly app: App;
  readonly store: Store;
  readonly house: Host;
  readonly model: Scripted;
  readonly tokens: { readonly operator: string; readonly ada: string; readonly bob: string; readonly agent: string };
  readonly lines: LogEntry[];
  readonly wait: (seconds: number) => void;
  readonly now: () => Date;
  /** The same database, as another process has it. */
  readonly another: () => Promise<Store>;
  /** Asks the app, as one of those with a token, or as nobody. */
  readonly ask: (path: string, asking?: Asking) => Promise<Response>;
  readonly close: () => Promise<void>;
};

export type Asking = Omit<RequestInit, "headers"> & {
  readonly token?: string;
  readonly from?: string;
  readonly json?: unknown;
  readonly headers?: Record<string, string>;
};

export const base = "http://localhost";

export async function newCore(options: Partial<ApiOptions> = {}): Promise<Core> {
  const place = await newPlace("sqlite");
  let time = Date.UTC(2026, 1, 18, 12);
  const now = () => new Date(time);
  const store = await createStore(place.open(), { now });
  const opened = [store];
  const model = scripted();
  await store.agents.add({ name: "assistant", charter: "assistant", model: null, settings: {} });
  const host = createHost({ store, clock: now, env: {}, loadModel: async () => model });
  const lines: LogEntry[] = [];
  const create = async (token: Parameters<Store["tokens"]["create"]>[0]) => (await store.tokens.create(token)).secret;
  const tokens = {
    operator: await create({ name: "o", kind: "operator" }),
    ada: await create({ name: "a", kind: "user", user: "ada" }),
    bob: await create({ name: "b", kind: "user", user: "bob", agent: "assistant" }),
    agent: await create({ name: "t", kind: "agent", agent: "assistant" }),
  };
  const log = (entry: LogEntry) => lines.push(entry);
  const app = createApi({ host, operator: "boss", routes: [sampleRoutes], log, ...options });
  return {
    ...{ app, store, house: host, model, tokens, lines, now },
    another: async () => {
      const one = await createStore(place.open(), { now });
      opened.push(one);
      return one;
    },
    wait: (seconds) => {
      time += seconds * 1000;
    },
    ask: (path, { token, from, json, headers = {}, ...init } = {}) =>
      app.fetch(
        new Request(new URL(path, base), {
          ...init,
          ...(json === undefined ? {} : { method: "POST", body: JSON.stringify(json), ...init }),
          headers: {
            ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
            ...(json === undefined ? {} : { "content-type": "application/json" }),
            ...headers,
          },
        }),
        from === undefined ? {} : ({ incoming: { socket: { remoteAddress: from } } } as never),
      ),
    close: async () => {
      app.close();
      await host.close(0);
      for (const one of opened) await one.close();
      await place.remove();
    },
  };
}
