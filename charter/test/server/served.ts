import { SignJWT } from "jose";
import { afterAll, beforeAll } from "vitest";
import { quietTurn } from "../../src/amend/guard.ts";
import type { KnownChain } from "../../src/channels/chain/chain-status.ts";
import type { Receiver } from "../../src/delivery/receiver.ts";
import { createHost } from "../../src/host/create-host.ts";
import type { Host } from "../../src/host/host.ts";
import type { HostOptions, HostTools } from "../../src/host/host-options.ts";
import type { Routes } from "../../src/server/api.ts";
import { type App, allRoutes, createApi } from "../../src/server/app.ts";
import type { Every } from "../../src/server/auth/access.ts";
import type { Oidc } from "../../src/server/auth/oidc.ts";
import type { GatewayOptions } from "../../src/server/config.ts";
import type { ApiLimitOptions } from "../../src/server/http/limits.ts";
import type { KeyConfigs } from "../../src/sources/core-memory/key-source.ts";
import { createStore, type NewToken, type Store } from "../../src/store/index.ts";
import { type Line, type Scripted, scripted } from "../agent/model.ts";
import { newPlace, type PlaceName } from "../homes.ts";
import { standFor } from "../stand-for.ts";
import { asDocumented } from "./as-documented.ts";

/** An answer: its status, its JSON, and whatever else it came with. */
export type Answer<Body = Json> = { readonly status: number; readonly body: Body; readonly headers: Headers };
// biome-ignore lint/suspicious/noExplicitAny: whatever a server says
export type Json = any;

/** Asks: "GET /agents", perhaps with a body and headers. */
export type Ask = (request: string, body?: unknown, headers?: Record<string, string>) => Promise<Answer>;

export type Served = {
  readonly store: Store;
  readonly house: Host;
  readonly app: App;
  readonly model: Scripted;
  /** Asks as whoever has this secret; as nobody without one. */
  readonly as: (secret: string | undefined) => Ask;
  readonly operator: Ask;
  readonly bo: Ask;
  readonly cy: Ask;
  readonly token: (token: Partial<NewToken> & Pick<NewToken, "kind">) => Promise<string>;
  readonly jwt: (user: string, seconds?: number) => Promise<string>;
  readonly wait: (seconds: number) => void;
  /** What waits for a person: a proposal and a call, each in a tainted turn of “ada”. */
  readonly holdProposal: (user: string | undefined, content?: string, section?: string) => Promise<string>;
  readonly holdCall: (user: string | undefined) => Promise<string>;
  readonly document: Json;
  /** Where its database is, for whoever else looks into it. */
  readonly database: string;
  readonly close: () => Promise<void>;
};

const secret = "a secret of 32 bytes, for tests.";

type Documented = { readonly document: Json; readonly check: ReturnType<typeof asDocumented> };

/** By what servers are made of: working out what one promises takes longer than most tests. */
const documents = new Map<string, Documented>();

async function documentedBy(app: App, key: string, operator: string): Promise<Documented> {
  const known = documents.get(key);
  if (known) return known;
  const headers = { authorization: `Bearer ${operator}` };
  const document = (await (await app.fetch(new Request("http://localhost/openapi.json", { headers }))).json()) as Json;
  const documented = { document, check: asDocumented(document) };
  documents.set(key, documented);
  return documented;
}

/** A server for all tests of a file, or of a part of one. */
export function servedForAll(about?: Parameters<typeof newServed>[0]): Served {
  let served: Served;
  beforeAll(async () => {
    served = await newServed(about);
  });
  afterAll(() => served.close());
  return standFor(() => served);
}

/** A server without a port: two agents, two users, and every answer compared with what the documentation promises. */
export async function newServed(
  about: {
    readonly home?: PlaceName;
    readonly routes?: readonly Routes[];
    readonly directory?: string;
    readonly receiver?: Partial<Receiver>;
    /** What an agent and its users may spend on a day. */
    readonly spending?: HostOptions["limits"];
    /** Messages may be signed instead of posted with a token, for this address. */
    readonly signedFor?: string;
    readonly limits?: ApiLimitOptions;
    /** How often agents take turns of their own, in milliseconds. */
    readonly everyMs?: ReadonlyMap<string, number>;
    /** The chains of agents, as far as settings name them. */
    readonly chains?: ReadonlyMap<string, KnownChain>;
    /** How many proxies there are: so many addresses in `x-forwarded-for` are believed. */
    readonly proxies?: number;
    /** Agents are models of OpenAI's API, too. */
    readonly openai?: true | GatewayOptions;
    /** The tools that agents have besides their charter's. */
    readonly tools?: HostTools;
    /** Models at /mcp read nothing that others wrote. */
    readonly mcpServer?: { readonly trusted: boolean };
    /** What the model says, line by line. */
    readonly lines?: readonly Line[];
    /** Where the keys of residents are. */
    readonly keys?: KeyConfigs;
    /** The issuer that people sign in at. */
    readonly oidc?: Oidc;
    /** What repeats the checks of open requests' permissions. */
    readonly every?: Every;
    /** More about the host that runs the agents. */
    readonly host?: Pick<HostOptions, "channels" | "mcp" | "tools">;
    /** Where the server's clock stands; in February 2026, unless given. */
    readonly now?: Date;
  } = {},
): Promise<Served> {
  const place = await newPlace(about.home ?? "sqlite");
  let time = about.now?.getTime() ?? Date.UTC(2026, 1, 18, 12);
  const clock = () => new Date(time);
  const store = await createStore(place.open(), { now: clock });
  const model = scripted(about.lines ?? ["Fine."], about.receiver);
  await store.agents.add({ name: "ada", charter: "assistant", model: "openai/gpt-5" });
  await store.agents.add({ name: "eve", charter: "assistant", model: "openai/gpt-5" });
  const { directory, keys, tools } = about;
  const given = { store, clock, env: {}, zone: "Europe/Berlin", directory, keys, tools, ...about.host };
  const host = createHost({ ...given, limits: about.spending, loadModel: async () => model });
  const app = createApi({
    host,
    operator: "olga",
    routes: about.routes ?? allRoutes,
    jwt: { secret },
    limits: about.limits ?? { requestsPerMinute: 600_000, failuresPerMinute: 600_000 },
    ...(about.signedFor === undefined ? {} : { signed: { service: () => about.signedFor as string, chain: 8453 } }),
    ...(about.every === undefined ? {} : { every: about.every }),
    ...(about.oidc === undefined ? {} : { oidc: { ...about.oidc, base: () => "http://localhost" } }),
    ...(about.openai === undefined ? {} : { openai: about.openai, openaiUser: "x-user-id" }),
    ...(about.proxies === undefined ? {} : { proxies: about.proxies }),
    mcpServer: about.mcpServer,
    ...(about.everyMs === undefined ? {} : { everyMs: about.everyMs }),
    ...(about.chains === undefined ? {} : { chains: about.chains }),
    linkUrl: ({ agent, code }) => (agent === "ada" ? `https://t.me/ada_bot?start=${code}` : undefined),
  });
  let made = 0;
  const token: Served["token"] = async (one) =>
    (await store.tokens.create({ name: `token ${++made}`, ...one } as NewToken)).secret;
  const raw = (words: string | undefined): Ask => {
    return async (request, body, headers = {}) => {
      const [method = "", path = ""] = request.split(/ (.*)/s);
      const json = body === undefined ? {} : { "content-type": "application/json" };
      const bearer = words === undefined ? {} : { authorization: `Bearer ${words}` };
      const response = await app.fetch(
        new Request(`http://localhost/api${path}`, {
          method,
          headers: { ...json, ...bearer, ...headers },
          ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
        }),
      );
      const text = await response.text();
      return { status: response.status, body: text === "" ? undefined : JSON.parse(text), headers: response.headers };
    };
  };
  const operator = await token({ kind: "operator" });
  const routes = (about.routes ?? allRoutes).map(({ name }) => name);
  const { document, check } = await documentedBy(app, [...routes, ...Object.keys(about)].join(), operator);
  const as: Served["as"] = (words) => async (request, body, headers) => {
    const answer = await raw(words)(request, body, headers);
    check(request, answer);
    return answer;
  };
  const scopeOf = (user: string | undefined) => ({ agent: "ada", ...(user === undefined ? {} : { user }) });
  return {
    ...{ store, house: host, app, model, as, token, document, database: place.url },
    operator: as(operator),
    bo: as(await token({ kind: "user", user: "bo" })),
    cy: as(await token({ kind: "user", user: "cy" })),
    jwt: async (user, seconds = 60) =>
      new SignJWT()
        .setProtectedHeader({ alg: "HS256" })
        .setSubject(user)
        .setExpirationTime(Math.floor(time / 1000) + seconds)
        .sign(new TextEncoder().encode(secret)),
    wait: (seconds) => {
      time += seconds * 1000;
    },
    holdProposal: async (user, content = "- Be brief.", section = "instructions") => {
      const context = await host.amendmentContext(scopeOf(user));
      const operation = { kind: "append" as const, content };
      const proposal = { section, operation, actor: "agent" as const, reason: "They asked me to." };
      const outcome = await store.propose({ ...context, turn: { ...quietTurn, tainted: true } }, proposal);
      return outcome.held as string;
    },
    holdCall: async (user) => {
      const { id: turn } = await store.turns.open({ scope: scopeOf(user), input: "Write to Ida.", runner: "test" });
      const call = {
        turn,
        step: 1,
        call: "call-1",
        tool: "send_mail",
        input: { to: "ida" },
        reason: "Foreign words.",
      };
      return (await store.calls.hold(scopeOf(user), call)).id;
    },
    close: async () => {
      app.close();
      await host.close(0);
      await store.close();
      await place.remove();
    },
  };
}
