import { afterAll, beforeAll } from "vitest";
import { failMessage } from "../../store/answer-message.ts";
import { type Json, newServed, type Served } from "../served.ts";
import type { CallerName } from "../who-may.ts";

/** Words of Bo's that nobody else ever reads. */
export const canary = "canary-of-bo";

export let served: Served;
/** What each caller shows. */
export const secrets = new Map<CallerName, string | undefined>();

/** Two agents, and others with an inbox and a memory; Bo, whose words nobody else may read; and every kind of caller. */
export function stageIsolation(): void {
  beforeAll(async () => {
    served = await newServed({ openai: true });
    const { token, jwt, store } = served;
    await store.agents.add({ name: "sol", charter: "sovereign", model: "openai/gpt-5" });
    const memory = { relays: ["ws://127.0.0.1:9"], owner: "ab".repeat(32), key: "rex" };
    await store.agents.add({ name: "rex", charter: "resident", settings: { memory } });
    const over = await token({ kind: "user", user: "bo", expiresAt: "2026-02-18T12:00:01.000Z" });
    const stale = await jwt("bo", 1);
    served.wait(60);
    const { id, secret } = await store.tokens.create({ name: "gone", kind: "operator" });
    await store.tokens.revoke(id);
    const all: [CallerName, string | undefined][] = [
      ["no token", undefined],
      ["malformed", "charter_nonsense"],
      ["expired", over],
      ["revoked", secret],
      ["expired JWT", stale],
      ["another user's", await token({ kind: "user", user: "cy" })],
      ["the user's, for another agent", await token({ kind: "user", user: "bo", agent: "eve" })],
      ["another agent's", await token({ kind: "agent", agent: "eve", user: "bo" })],
      ["the agent's", await token({ kind: "agent", agent: "ada", user: "bo" })],
      ["the inbox's", await token({ kind: "inbox", agent: "sol", name: "shop" })],
      ["another inbox's", await token({ kind: "inbox", agent: "eve", name: "shop" })],
      ["the gateway's", await token({ kind: "gateway" })],
      ["the user's", await token({ kind: "user", user: "bo" })],
      ["JWT of the user", await jwt("bo", 3600)],
      ["operator's", await token({ kind: "operator" })],
    ];
    for (const [name, words] of all) secrets.set(name, words);
    await served.bo("POST /agents/ada/proposals", {
      section: "instructions",
      operation: { kind: "rewrite", content: canary },
    });
    await store.users.put({ id: "bo" });
  });
  afterAll(() => served.close());
}

type Answer = { readonly status: number; readonly text: string };

export const ask = (secret: string | undefined, asked: Asked) =>
  askWith(secret === undefined ? {} : { authorization: `Bearer ${secret}` }, asked);

export async function askWith(headers: Record<string, string>, [method, path, body]: Asked): Promise<Answer> {
  const response = await served.app.fetch(
    new Request(`http://localhost${path}`, {
      method,
      headers: {
        ...headers,
        ...(body === undefined ? {} : { "content-type": "application/json" }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    }),
  );
  const endless = response.headers.get("content-type")?.startsWith("text/event-stream");
  if (endless) await response.body?.cancel();
  return { status: response.status, text: endless ? "" : await response.text() };
}

export type Asked = readonly [method: string, path: string, body?: object | undefined];

let count = 0;

/** One that nobody misses when it is removed. */
const newAgent = async () => {
  const name = `one-${++count}`;
  await served.store.agents.add({ name, charter: "assistant" });
  return name;
};

/** Something of Bo's to ask about. */
const things: Readonly<Record<string, () => Promise<string>>> = {
  memory: async () => (await served.store.memory.save({ agent: "ada", user: "bo" }, { text: canary })).id,
  approvals: () => served.holdProposal("bo", `- ${canary} ${++count}`),
  schedules: async () => {
    const { body } = await served.bo("POST /agents/ada/schedules", { title: canary, input: canary, cron: "0 8 * * *" });
    return body.id;
  },
  /** Bo's, by the shop's token: it was tried three times. */
  inbox: async () => {
    const id = `shop/m${++count}`;
    await served.store.inbox.post({ agent: "sol", sender: "shop/bo", body: canary, id });
    while ((await served.store.inbox.get("sol", id)).status !== "dead") {
      const turn = `turn-${++count}`;
      await served.store.inbox.claim("sol", turn, { limit: 100 });
      for (const held of await served.store.inbox.heldBy("sol", turn))
        await failMessage(served.store.inbox, "sol", held.id, "The model is away.", turn);
    }
    return id;
  },
  sessions: async () => {
    const scope = { agent: "ada", user: "bo" };
    return (await served.house.runTurn({ ...scope, channel: "web", session: "new", input: canary })).session;
  },
  invitations: async () =>
    (await served.store.invitations.create([{ user: "bo", agent: "ada" }], { again: true })).made[0]?.id ?? "",
  tokens: async () => (await served.store.tokens.create({ name: "any", kind: "operator" })).id,
  turns: async () => {
    const scope = { agent: "ada", user: "bo" };
    const { turn } = await served.house.runTurn({ ...scope, channel: "web", session: "none", input: canary });
    return turn;
  },
};

const names: Readonly<Record<string, () => Promise<string>>> = {
  agent: async () => "ada",
  section: async () => "instructions",
  user: async () => {
    const [invitation] = (await served.store.invitations.create([{ user: "bo", agent: "ada" }], { again: true })).made;
    await served.store.identities.bind(invitation?.id ?? "", { issuer: "https://id.example.com", subject: "bo" });
    return "bo";
  },
  tool: async () => "read_memory",
  channel: async () => "telegram",
  step: async () => "1",
  digest: async () => {
    const input = [{ text: canary }, { file: new TextEncoder().encode(canary), mediaType: "text/plain" }];
    const { turn } = await served.house.runTurn({
      ...{ agent: "ada", user: "bo", session: "none" },
      channel: "web",
      input,
    });
    return (await served.store.turns.get(turn)).attachments?.[0]?.digest ?? "";
  },
  counterpart: async () => {
    await served.store.conversations.record("ada", "ida", { message: "m", body: canary, reply: "Yes.", turn: "t" });
    return "ida";
  },
  address: async () => {
    const { code } = await served.store.links.createCode({ agent: "ada", user: "bo" }, "telegram");
    await served.store.links.redeem("ada", "telegram", code, `chat-${++count}`);
    return `chat-${count}`;
  },
};

/** Bodies whose example would not do twice. */
const bodies: Readonly<Record<string, () => object>> = {
  "POST /api/agents": () => ({ name: `agent-${++count}`, charter: "assistant" }),
  "POST /api/agents/{agent}/inbox": () => ({ sender: "bo", body: canary }),
  "POST /api/agents/{agent}/sections/{section}/revert": () => ({ to: 0, dryRun: true }),
  "POST /api/me/erase": () => ({ dryRun: true }),
};

/** What only an agent with an inbox answers. */
const lives = /\/(?:inbox|outbox|automaton|snapshot)(?:\/|$)/;

/** A request as the document describes it, about something of Bo's. `other`: about something that is not there. */
export async function requestFor(route: string, other?: Readonly<Record<string, string>>): Promise<Asked> {
  const [method = "", template = ""] = route.split(" ");
  const { parameters = [], requestBody } = served.document.paths[template][method.toLowerCase()];
  let path = template;
  for (const [place, name] of [...template.matchAll(/\{(\w+)\}/g)].map(
    (found) => [found[0], found[1] as string] as const,
  )) {
    const kind = /\/(\w+)\/\{id\}/.exec(template)?.[1] ?? "";
    const make =
      name === "id"
        ? things[kind]
        : name === "agent" && lives.test(template)
          ? async () => "sol"
          : name === "agent" && template.includes("/core")
            ? async () => "rex"
            : route === "DELETE /api/agents/{agent}"
              ? newAgent
              : route === "DELETE /api/users/{user}"
                ? async () => "someone"
                : names[name];
    if (!make) throw new Error(`Nothing is known to fill ${place} of ${route} with.`);
    path = path.replace(place, encodeURIComponent(other?.[name] ?? (await make())));
  }
  const asked = parameters.filter((one: Json) => one.in === "query").map((one: Json) => one.name);
  const about = { user: other?.user ?? "bo", agent: other?.agent ?? "ada" };
  const needed = parameters.some((one: Json) => one.name === "words" && one.required) ? { words: "assistant" } : {};
  const query = new URLSearchParams({
    ...Object.fromEntries(Object.entries(about).filter(([name]) => asked.includes(name))),
    ...needed,
  });
  const schema = requestBody?.content["application/json"].schema;
  const body = schema && bodyOf(route, schema, about.user);
  return [method, query.size > 0 ? `${path}?${query}` : path, body];
}

/** The same for each who asks, until someone was let do it: then what it is about may be gone. */
export function requestsFor(route: string) {
  let asked: Promise<Asked> | undefined;
  return {
    next: () => {
      asked ??= requestFor(route);
      return asked;
    },
    answered: (status: number) => {
      if (status < 300 && !route.startsWith("GET ")) asked = undefined;
    },
  };
}

function bodyOf(route: string, schema: Json, user: string): object {
  const [{ $ref }] = schema.anyOf ?? [schema];
  const reference = String($ref).split("/").at(-1) as string;
  const { example, properties = {} } = served.document.components.schemas[reference];
  return { ...(bodies[route]?.() ?? example), ...(properties.user ? { user } : {}) };
}
