import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { userAnswer } from "../../src/server/http/user-answer.ts";
import { type Chat, headersOf, own, signIn } from "./chat/chat-stage.ts";
import { type Json, newServed, type Served } from "./served.ts";
import { type CallerName, callers, chatCallers, expected, expectedAtChat, whoMay } from "./who-may.ts";

/** Words of Bo's that nobody else ever reads. */
const canary = "canary-of-bo";

/** Of what users may ask for, what is not told at their page. */
const operatorsFields = [
  ...[
    "amended",
    "breakEven",
    "carried",
    "charter",
    "cold",
    "command",
    "conflict",
    "cost",
    "createdAt",
    "definition",
    "event",
  ],
  ...[
    "events",
    "failed",
    "fallbacks",
    "frozen",
    "happens",
    "layer",
    "leasedUntil",
    "micros",
    "model",
    "models",
    "needs",
  ],
  ...["nextDefinition"],
  ...[
    "nextDigest",
    "now",
    "options",
    "ours",
    "output",
    "owner",
    "perTurn",
    "place",
    "previous",
    "price",
    "publication",
    "quote",
  ],
  ...["read", "reasons", "receiver", "relay", "removedAt", "rendered", "rewritten", "runner", "say", "says", "served"],
  ...["server", "settings", "step", "steps", "taken", "theirs", "tokens", "tools", "usage", "users"],
  ...["version", "week", "written"],
];

let served: Served;
const secrets = new Map<CallerName, string | undefined>();

beforeAll(async () => {
  served = await newServed();
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

type Answer = { readonly status: number; readonly text: string };

const ask = (secret: string | undefined, asked: Asked) =>
  askWith(secret === undefined ? {} : { authorization: `Bearer ${secret}` }, asked);

async function askWith(headers: Record<string, string>, [method, path, body]: Asked): Promise<Answer> {
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

type Asked = readonly [method: string, path: string, body?: object | undefined];

let count = 0;

/** One that nobody misses when it is removed. */
const newAgent = async () => {
  const name = `one-${++count}`;
  await served.store.agents.add({ name, charter: "assistant" });
  return name;
};

/** Something of Bo's to ask about, made anew for each who asks: the last one may have taken it away. */
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
    for (let tries = 0; tries < 3; tries++) {
      const turn = `turn-${++count}`;
      await served.store.inbox.claim("sol", turn, { limit: 100 });
      for (const held of await served.store.inbox.heldBy("sol", turn))
        await served.store.inbox.fail("sol", held.id, "The model is away.", turn);
    }
    return id;
  },
  sessions: async () => {
    const scope = { agent: "ada", user: "bo" };
    return (await served.house.runTurn({ ...scope, channel: "web", session: "new", input: canary })).session;
  },
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
  user: async () => "bo",
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
  NewAgent: () => ({ name: `agent-${++count}`, charter: "assistant" }),
  NewMessage: () => ({ sender: "bo", body: canary }),
  Reverting: () => ({ revision: 0, dryRun: true }),
  ToolCalling: () => ({ input: { query: "anything" } }),
  EraseRequest: () => ({ dryRun: true }),
};

/** What only an agent with an inbox answers. */
const lives = /\/(?:inbox|outbox|automaton|snapshot)(?:\/|$)/;

/** A request as the document describes it, about something of Bo's. `other`: about something that is not there. */
async function requestFor(route: string, other?: Readonly<Record<string, string>>): Promise<Asked> {
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
  const query = new URLSearchParams(Object.entries(about).filter(([name]) => asked.includes(name)));
  const schema = requestBody?.content["application/json"].schema;
  const body = schema && bodyOf(schema, about.user);
  return [method, query.size > 0 ? `${path}?${query}` : path, body];
}

function bodyOf(schema: Json, user: string): object {
  const [{ $ref }] = schema.oneOf ?? [schema];
  const reference = String($ref).split("/").at(-1) as string;
  const { example, properties = {} } = served.document.components.schemas[reference];
  return { ...(bodies[reference]?.() ?? example), ...(properties.user ? { user } : {}) };
}

test("every route says who may ask it, and no line is left over", () => {
  const routes = Object.entries(served.document.paths as Json)
    .flatMap(([path, methods]) => Object.keys(methods as Json).map((method) => `${method.toUpperCase()} ${path}`))
    .filter((route) => route.split(" ")[1]?.startsWith("/api/"));
  expect(routes.toSorted()).toEqual(Object.keys(whoMay).toSorted());
});

describe("only what is allowed answers", () => {
  for (const [route, who] of Object.entries(whoMay))
    test(`${route}: ${who}`, async () => {
      const answers: [CallerName, number][] = [];
      for (const caller of callers) {
        const [method, path, body] = await requestFor(route);
        // A token's messages are called after it, for others.
        const own = caller.endsWith("inbox's") ? path.replace("/shop%2F", "/") : path;
        const { status, text } = await ask(secrets.get(caller), [method, own, body]);
        answers.push([caller, status >= 200 && status < 300 ? 200 : status]);
        const wanted = expected(who, caller);
        if (wanted !== 200 || caller === "another user's")
          expect([caller, text.includes(canary)]).toEqual([caller, false]);
        if (status >= 400) expect([caller, Object.keys(JSON.parse(text))]).toEqual([caller, ["error"]]);
      }
      expect(answers).toEqual(callers.map((caller) => [caller, expected(who, caller)]));
    });
});

describe("the same routes at the page for users answer its users alone", () => {
  /** Sessions are taken anew for each route: the last one may have ended them. */
  const atChat = async () => {
    const bos = await signIn(served, { user: "bo", agent: "ada" });
    const session = (secret: string) => secret.split("=")[1] as string;
    const operators = secrets.get("operator's") as string;
    const all: Record<(typeof chatCallers)[number], Record<string, string>> = {
      nobody: own,
      "the operator's token": { ...own, authorization: `Bearer ${operators}` },
      "the operator's cookie": { ...own, cookie: `charter_session=${operators}` },
      "the operator's cookie, with a half": { ...headersOf(bos), cookie: `charter_session=${operators}` },
      "the operator's secret as the cookie": { ...headersOf(bos), cookie: `charter_chat=${operators}` },
      "the user's token": { ...own, authorization: `Bearer ${secrets.get("the user's")}` },
      "JWT of the user": { ...own, authorization: `Bearer ${secrets.get("JWT of the user")}` },
      "the cookie without its half": { ...own, cookie: bos.cookie },
      "the half without its cookie": { ...own, "x-charter-half": bos.half },
      "the session as a token": { ...own, authorization: `Bearer ${session(bos.cookie)}.${bos.half}` },
      "another user's session": headersOf(await signIn(served, { user: "cy", agent: "ada" })),
      "the user's session with another agent": headersOf(await signIn(served, { user: "bo", agent: "eve" })),
      "the user's session": headersOf(bos),
    };
    return { all, bos };
  };
  for (const [route, who] of Object.entries(whoMay))
    test(`${route.replace(" /", " /chat/")}: ${who}`, async () => {
      const { all, bos } = await atChat();
      const answers: [string, number][] = [];
      for (const caller of chatCallers) {
        const [method, path, body] = await requestFor(route);
        const { status, text } = await askWith(all[caller], [method, `/chat${path}`, body]);
        answers.push([caller, status >= 200 && status < 300 ? 200 : status]);
        if (caller !== "the user's session") expect([caller, text.includes(canary)]).toEqual([caller, false]);
        expect([caller, operatorsIn(text)]).toEqual([caller, null]);
      }
      expect(answers).toEqual(chatCallers.map((caller) => [caller, expectedAtChat(who, caller)]));
      await expectNothingAtApi(bos, await requestFor(route));
    });

  async function expectNothingAtApi(chat: Chat, asked: Asked): Promise<void> {
    const { status } = await askWith(headersOf(chat), asked);
    expect(["at /api", status]).toEqual(["at /api", 401]);
  }
});

/** What a model is called, what it costs and who runs it: in no answer to users. */
const operators =
  /gpt-5|"(?:cost|usage|micros|price|quote|receiver|model|fallbacks|runner|leasedUntil|settings|charter|rendered|layer|owner|slots?|baseline|definition|server)":/;

function operatorsIn(text: string): string | null {
  return operators.exec(text)?.[0] ?? null;
}

test("every field of an answer that users may ask for is told at their page, or is known to be the operator's", () => {
  const asked = Object.entries(whoMay).filter(([, who]) => ["anyone", "people", "own"].includes(who));
  const fields = asked.flatMap(([route]) => {
    const [method = "", path = ""] = route.split(" ");
    const { responses } = served.document.paths[path][method.toLowerCase()];
    const good = Object.entries(responses as Json).filter(([status]) => Number(status) < 400);
    return good.flatMap(([, answer]) => fieldsOf((answer as Json).content?.["application/json"]?.schema));
  });
  const untold = [...new Set(fields)].filter((name) => !(name in userAnswer({ [name]: 1 })));
  expect(untold.toSorted()).toEqual(operatorsFields);
});

/** Every name in a schema, however deep. */
function fieldsOf(schema: Json, seen = new Set<Json>()): string[] {
  if (typeof schema !== "object" || schema === null || seen.has(schema)) return [];
  seen.add(schema);
  const named = schema.$ref && served.document.components.schemas[schema.$ref.split("/").at(-1)];
  const { properties = {}, items, additionalProperties, oneOf = [], anyOf = [], allOf = [] } = named ?? schema;
  const inside = [...Object.values(properties), items, additionalProperties, ...oneOf, ...anyOf, ...allOf];
  return [...Object.keys(properties), ...inside.flatMap((one) => fieldsOf(one, seen))];
}

/** An id nobody has, in the form of one somebody has. */
const nobodys = "0mlrzclc00aaaaaaa";

describe("what is another's and what is nowhere are answered alike, to the letter", () => {
  const owned = Object.entries(whoMay).filter(([, who]) => who === "own");
  for (const [route] of owned)
    test(route, async () => {
      const cy = secrets.get("another user's");
      const elsewhere = secrets.get("the user's, for another agent");
      const alike = async (secret: string | undefined, about: (there: boolean) => Record<string, string>) => {
        const told = async (there: boolean) => {
          const [method, path, body] = await requestFor(route, about(there));
          const id = /\/(0m\w{15}|chat-\d+|nobody-\d+)(?=[/?]|$)/.exec(path)?.[1] ?? "…";
          const { status, text } = await ask(secret, [method, path, body]);
          return [status, text.replaceAll(id, "…").replaceAll(/“(?:bo|nobody|ada|nowhere)”/g, "“…”")];
        };
        expect(await told(true)).toEqual(await told(false));
      };
      // Whose: a user there is, and one there is not.
      await alike(cy, (there) => ({ user: there ? "bo" : "nobody" }));
      // Which: an id of Bo's, and one of nobody's, asked for as one's own.
      if (/\{(?:id|address)\}/.test(route))
        await alike(cy, (there) => ({ user: "cy", ...(there ? {} : { id: nobodys, address: "nobody-1" }) }));
      // Where: an agent there is, and one there is not.
      await alike(elsewhere, (there) => (there ? { user: "bo" } : { user: "bo", agent: "nowhere" }));
    });
});
