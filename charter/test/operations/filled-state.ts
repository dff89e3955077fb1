import { quietTurn } from "../../src/amend/guard.ts";
import type { Host } from "../../src/host/host.ts";
import { signInLink } from "../../src/server/index.ts";
import type { Store } from "../../src/store/index.ts";
import { signedBody, walletOf } from "../server/inbox/wallet.ts";
import { failMessage } from "../store/answer-message.ts";

/** Where the server of the tests is said to be. */
export const service = "http://localhost";

/** What there is to ask about, by name; and what each caller shows. */
export type Filled = {
  readonly things: Readonly<Record<string, string>>;
  readonly secrets: Readonly<Record<string, string>>;
  readonly chat: { readonly cookie: string; readonly half: string };
};

type Fetch = (request: Request) => Response | Promise<Response>;

/** Something of everything: two assistants, one who lives by itself, one whose relay is away, a user with a time zone and one without. */
export async function fill(store: Store, host: Host, fetch: Fetch): Promise<Filled> {
  const model = "stand-in/scripted";
  for (const name of ["ada", "eve"]) await store.agents.add({ name, charter: "assistant", model });
  await store.agents.add({ name: "sol", charter: "sovereign", model });
  await store.agents.add({ name: "lea", charter: "sovereign", model, settings: { secondOpinion: model } });
  const memory = { relays: ["ws://127.0.0.1:9"], owner: "ab".repeat(32), key: "rex" };
  await store.agents.add({ name: "rex", charter: "resident", model, settings: { memory } });
  await store.agents.add({ name: "old", charter: "assistant", model });
  await store.users.put({ id: "bo", zone: "Europe/Berlin" });
  await store.users.put({ id: "cy" });
  const bo = { agent: "ada", user: "bo" };
  const { turn, session } = await host.runTurn({ ...bo, channel: "web", input: "Hello, Ada." });
  const file = { file: new TextEncoder().encode("plums"), mediaType: "text/plain", name: "plums.txt" };
  const other = await host.runTurn({
    ...bo,
    channel: "web",
    session: "none",
    input: [{ text: "What is this?" }, file],
  });
  await host.runTurn({ agent: "eve", user: "bo", channel: "web", input: "Good morning." });
  const propose = async (
    scope: { agent: string; user?: string },
    section: string,
    content: string,
    tainted = false,
  ) => {
    const actor = tainted ? "agent" : scope.user === undefined ? "operator" : "user";
    const context = await host.amendmentContext(scope);
    const operation = { kind: "append", content } as const;
    return store.propose(
      { ...context, turn: { ...quietTurn, tainted } },
      { section, operation, actor, reason: "Asked." },
    );
  };
  await propose({ agent: "ada" }, "soul", "Be patient.");
  await propose(bo, "instructions", "- Be brief.");
  await propose(bo, "instructions", "- Say please.");
  const { held = "" } = await propose(bo, "instructions", "- Sing.", true);
  const call = { turn, step: 1, call: "call-1", tool: "send_mail", input: { to: "ida" }, reason: "Foreign words." };
  const { id: heldCall } = await store.calls.hold(bo, call);
  const { id: note } = await store.memory.save(bo, { text: "Bo's sister is called Ida.", key: "sister" });
  await store.memory.save({ agent: "ada" }, { text: "The shop opens at six." });
  const { id: schedule } = await host.schedule({
    scope: bo,
    title: "Digest",
    input: "Sum up my mail.",
    cron: "0 8 * * *",
  });
  const { made } = await store.invitations.create([bo, { agent: "ada", user: "dora" }]);
  await store.identities.bind(made[0]?.id ?? "", { issuer: "https://id.example.com", subject: "bo" });
  const { code } = await store.links.createCode(bo, "telegram");
  await store.links.redeem("ada", "telegram", code, "chat-1");
  await store.conversations.record("sol", "ida", { message: "m", body: "Hello?", reply: "Yes.", turn: "t" });
  await store.automata.grant("sol", 3_000_000, "olga");
  await store.automata.grant("lea", 1, "olga");
  const usage = { input: 12, read: 5, written: null, output: 3 };
  await store.spending.add({ agent: "lea" }, { day: "2026-02-18", receiver: model, micros: 1, usage });
  await dieOf(store, "shop/dead");
  await store.inbox.post({ agent: "sol", sender: "shop/bo", body: "Are you open?", id: "shop/order" });
  const token = async (name: string, one: Omit<Parameters<Store["tokens"]["create"]>[0], "name">) =>
    (await store.tokens.create({ name, ...one })).secret;
  const { id: spare } = await store.tokens.create({ name: "spare", kind: "operator" });
  const wallet = walletOf(1);
  const signed = signedBody(wallet, {
    ...{ service, agent: "sol", id: "signed", expires: Math.floor(Date.now() / 1000) + 300 },
  });
  const posted = await post(fetch, "/api/agents/sol/inbox", signed);
  const own = { origin: service, "sec-fetch-site": "same-origin", "x-charter-csrf": "1" };
  const link = (await signInLink(store, service, bo)).split("#")[1];
  const signedIn = await post(fetch, "/chat/sign-in", { code: link }, own);
  return {
    things: {
      ...{ turn, session, otherTurn: other.turn, held, heldCall, note, schedule, spare },
      ...{ invitation: made[1]?.id ?? "", digest: (await store.turns.get(other.turn)).attachments?.[0]?.digest ?? "" },
    },
    secrets: {
      operator: await token("operator", { kind: "operator" }),
      user: await token("user", { kind: "user", user: "bo" }),
      "another user": await token("another user", { kind: "user", user: "cy" }),
      "user of one agent": await token("user of one agent", { kind: "user", user: "bo", agent: "ada" }),
      "user of another agent": await token("user of another agent", { kind: "user", user: "bo", agent: "eve" }),
      agent: await token("agent", { kind: "agent", agent: "ada", user: "bo" }),
      inbox: await token("shop", { kind: "inbox", agent: "sol" }),
      signer: String(posted.body.secret),
    },
    chat: { cookie: signedIn.headers.get("set-cookie")?.split(";")[0] as string, half: String(signedIn.body.half) },
  };
}

/** A message that was tried as often as any is. */
async function dieOf(store: Store, id: string): Promise<void> {
  await store.inbox.post({ agent: "sol", sender: "shop/bo", body: "Hello?", id });
  for (let tries = 1; (await store.inbox.get("sol", id)).status !== "dead"; tries++) {
    await store.inbox.claim("sol", `turn-${tries}`);
    await failMessage(store.inbox, "sol", id, "The model is away.", `turn-${tries}`);
  }
}

async function post(fetch: Fetch, path: string, body: unknown, headers: Record<string, string> = {}) {
  const answer = await fetch(
    new Request(`${service}${path}`, {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body: JSON.stringify(body),
    }),
  );
  if (!answer.ok) throw new Error(`${path} answered ${answer.status}: ${await answer.text()}`);
  return { headers: answer.headers, body: (await answer.json()) as Readonly<Record<string, unknown>> };
}
