import type { Model } from "../../src/delivery/model.ts";
import type { Config } from "../../src/server/config.ts";
import { type OpenedCharter, openCharter, type Services } from "../../src/server/open.ts";
import { createStore, type NewToken, type Store } from "../../src/store/index.ts";
import type { Place } from "../homes.ts";
import type { FakeTelegram } from "../telegram/fake.ts";

/** An answer as it came over the wire: its status, its words, and its headers as one text. */
export type Answer = {
  readonly status: number;
  readonly text: string;
  readonly headers: string;
  // biome-ignore lint/suspicious/noExplicitAny: whatever a server says
  readonly body: any;
};

/** Asks: "GET /api/me", perhaps with a body and headers. */
export type Ask = (request: string, body?: unknown, headers?: Readonly<Record<string, string>>) => Promise<Answer>;

export type Service = OpenedCharter & {
  readonly store: Store;
  readonly url: string;
  /** Asks as whoever has this secret; as nobody without one. */
  readonly as: (secret: string | undefined) => Ask;
  readonly token: (token: Partial<NewToken> & Pick<NewToken, "kind">) => Promise<string>;
};

export type ServiceOptions = {
  readonly model?: Model;
  readonly telegram?: FakeTelegram;
  readonly config?: Partial<Config>;
  readonly duties?: Services;
  readonly clock?: () => Date;
  readonly env?: Readonly<Record<string, string>>;
  /** Every line of its log. */
  readonly line?: (line: string) => void;
};

export const agents = ["ada", "eve"] as const;

/** All of Charter in this process, as `charter start` opens it: real HTTP, schedules, and “ada” on Telegram. */
export async function openService(place: Place, options: ServiceOptions = {}): Promise<Service> {
  const { model, telegram, clock = () => new Date(), env = {}, line = () => {} } = options;
  const store = await createStore(place.open(), { now: clock });
  for (const name of agents) await store.agents.put({ name, charter: "assistant" });
  const services = options.duties ?? { http: true, schedules: true, polling: true };
  const bot = telegram && { agent: "ada", token: telegram.token, api: telegram.url };
  const opened = await openCharter({
    ...{ store, services, clock, env, log: (entry: object) => line(JSON.stringify(entry)) },
    config: {
      ...{ port: 0, graceSeconds: 5, apiLimits: { requestsPerMinute: 1e9, failuresPerMinute: 1e9 } },
      ...(bot ? { telegram: bot } : {}),
      ...options.config,
    },
    ...(model ? { loadModel: async () => model } : {}),
  });
  let made = 0;
  return {
    ...opened,
    store,
    url: opened.url as string,
    as: (secret) => askAt(opened.url as string, secret),
    token: async (one) => (await store.tokens.create({ name: `token ${++made}`, ...one } as NewToken)).secret,
    close: async () => {
      await opened.close();
      await store.close();
    },
  };
}

export function askAt(url: string, secret: string | undefined): Ask {
  return async (request, body, headers = {}) => {
    const [method = "", path = ""] = request.split(/ (.*)/s);
    const json = body === undefined ? {} : { "content-type": "application/json" };
    const bearer = secret === undefined ? {} : { authorization: `Bearer ${secret}` };
    const response = await fetch(`${url}${path}`, {
      method,
      headers: { ...json, ...bearer, ...headers },
      ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    const isJson = response.headers.get("content-type")?.startsWith("application/json") === true;
    const { status } = response;
    return {
      status,
      text,
      headers: JSON.stringify([...response.headers]),
      body: isJson ? JSON.parse(text) : undefined,
    };
  };
}
