// A channel of your own: an agent in Slack (docs/own-channel.md). Slack posts signed events to this server, and takes
// answers with chat.postMessage. Everything between the two is Charter's: a message is stored before Slack learns that we
// have it, answered once under a lease, and what is to be sent waits in the store until Slack has it.
import { createHmac, timingSafeEqual } from "node:crypto";
import { createServer, type IncomingMessage } from "node:http";
import { type ChannelPost, createChannel, type SendFault } from "charter/channels";
import { createHost } from "charter/host";
import { createStore, sqlite } from "charter/store";

const { SLACK_SIGNING_SECRET: secret, SLACK_BOT_TOKEN: token, CHARTER_MODEL: model } = process.env;
const {
  SLACK_API: api = "https://slack.com/api",
  PORT: port = "3000",
  CHARTER_DATABASE: file = "slack.db",
} = process.env;
if (!secret || !token) {
  console.error("Set SLACK_SIGNING_SECRET and SLACK_BOT_TOKEN: docs/own-channel.md says where they are.");
  process.exit(2);
}

const store = await createStore(sqlite(file));
if (!(await store.agents.find("ada"))) await store.agents.add({ name: "ada", charter: "assistant" });
const host = createHost({
  store,
  env: process.env,
  ...(model ? { model } : {}),
  channels: {
    slack: "Slack: a few short sentences. *bold*, _italic_ and `code` are shown, tables and headings are not.",
  },
});
const channel = createChannel({ host, agent: "ada", name: "slack", post, log: console.error });

/** Sends a message of ours. An address is a conversation and its sender: many people write in one conversation. */
async function post({ address, text, buttons }: ChannelPost, signal: AbortSignal): Promise<SendFault | undefined> {
  const [conversation] = address.split("/");
  // A section holds 3,000 characters. A question is shown as it is.
  const sections = (text.match(/[\s\S]{1,3000}/gu) ?? []).map((part) => ({
    type: "section",
    text: buttons.length > 0 ? { type: "plain_text", text: part } : { type: "mrkdwn", text: escaped(part) },
  }));
  const elements = buttons.map(({ text: label, data }) => ({
    type: "button",
    action_id: label.toLowerCase(),
    text: { type: "plain_text", text: label },
    value: data,
  }));
  const blocks = elements.length === 0 ? sections : [...sections, { type: "actions", elements }];
  const response = await fetch(`${api}/chat.postMessage`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json; charset=utf-8" },
    // Links are not opened: whoever talked the model into writing one would learn of it.
    body: JSON.stringify({
      channel: conversation,
      text: escaped(text),
      blocks,
      unfurl_links: false,
      unfurl_media: false,
    }),
    signal: AbortSignal.any([signal, AbortSignal.timeout(30_000)]),
  });
  if (response.status === 429)
    return { kind: "busy", reason: "429", afterMs: Number(response.headers.get("retry-after") ?? 1) * 1000 };
  if (!response.ok) return { kind: "unreachable", reason: String(response.status) };
  const { ok, error } = (await response.json()) as { ok: boolean; error?: string };
  if (ok) return undefined;
  const gone = /not_found|not_in_channel|is_archived|restricted_action|msg_too_long/.test(String(error));
  return { kind: gone ? "refused" : "unreachable", reason: String(error) };
}

/** Writes a text so that nothing in it mentions everybody, or hides an address behind other words. */
function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

/** Says whether Slack made a request, less than five minutes ago: whoever is in it is then who Slack says. */
function isSigned({ headers }: IncomingMessage, body: string): boolean {
  const time = String(headers["x-slack-request-timestamp"]);
  if (!(Math.abs(Date.now() / 1000 - Number(time)) < 300)) return false;
  const ours = `v0=${createHmac("sha256", String(secret)).update(`v0:${time}:${body}`).digest("hex")}`;
  const theirs = Buffer.from(String(headers["x-slack-signature"]));
  return theirs.length === ours.length && timingSafeEqual(theirs, Buffer.from(ours));
}

type SlackEvent = {
  readonly type: string;
  readonly channel: string;
  readonly user?: string;
  readonly bot_id?: string;
  readonly subtype?: string;
  readonly text?: string;
  readonly ts: string;
  /** Messages of others that were shared with it. */
  readonly attachments?: readonly { readonly text?: string }[];
};

/** Takes an event in. Slack delivers it again, with the same id, until it is told 200. */
async function take(id: string, event: SlackEvent): Promise<void> {
  const { type, channel: conversation, user, text = "", ts, attachments = [] } = event;
  const isMessage = type === "app_mention" || (type === "message" && conversation.startsWith("D"));
  if (!isMessage || !user || event.bot_id || event.subtype) return;
  const address = `${conversation}/${user}`;
  const words = plain(text.replace(/^\s*<@\w+>\s*/, ""));
  const others = attachments.flatMap((one) => (one.text ? plain(one.text).split("\n") : [])).map((line) => `> ${line}`);
  const [, code] = /^link\s+([\w-]{8,9})$/i.exec(words) ?? [];
  if (code !== undefined) {
    const isLinked = await channel.link(address, code);
    await tell(address, isLinked ? "This chat is linked to you now." : "That code does not work.");
    return;
  }
  const all = [words, ...others].join("\n").trim();
  if (all === "") return;
  // All that is not said to be typed is others' words: what the agent would do because of them, its user is asked about first.
  const whose = /^>|```/m.test(words) ? {} : { typed: words };
  const at = new Date(Number(ts) * 1000).toISOString();
  const kept = await channel.receive({ id, address, at, text: all, ...whose });
  if (kept === "stranger")
    await tell(address, "I do not know you: ask whoever runs me for a code. Then write: link CODE");
}

/** Returns a text of Slack's as it was typed. */
function plain(text: string): string {
  return text.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&").trim();
}

/** Sends fixed words at once, without storing them. */
async function tell(address: string, text: string): Promise<void> {
  await post({ id: "", address, text, buttons: [] }, AbortSignal.timeout(10_000)).catch(() => {});
}

type Press = {
  readonly type: string;
  readonly user: { readonly id: string };
  readonly channel?: { readonly id: string };
  readonly actions?: readonly { readonly value?: string }[];
  readonly message?: { readonly text?: string };
  readonly response_url?: string;
};

/** Decides what a button asks, as whoever pressed it. Only who was asked takes the buttons away. */
async function press({ type, user, channel: conversation, actions, message, response_url: url }: Press): Promise<void> {
  const data = actions?.[0]?.value;
  if (type !== "block_actions" || !conversation || data === undefined) return;
  const { says, isDecided } = await channel.decide(`${conversation.id}/${user.id}`, data);
  const shown = isDecided
    ? { replace_original: true, text: `${message?.text ?? ""}\n\n${escaped(says)}`.trim() }
    : { replace_original: false, response_type: "ephemeral", text: escaped(says) };
  const headers = { "content-type": "application/json" };
  if (url) void fetch(url, { method: "POST", headers, body: JSON.stringify(shown) }).catch(() => {});
}

const server = createServer(async (request, response) => {
  const answer = (status: number, text = "") => response.writeHead(status, { "content-type": "text/plain" }).end(text);
  try {
    const chunks: Buffer[] = [];
    let bytes = 0;
    for await (const chunk of request) {
      bytes += chunk.length;
      if (bytes > 1_000_000) return answer(413);
      chunks.push(chunk);
    }
    const body = Buffer.concat(chunks).toString();
    if (request.method !== "POST" || !isSigned(request, body)) return answer(401);
    if (request.url === "/slack/actions") {
      await press(JSON.parse(new URLSearchParams(body).get("payload") ?? "{}"));
      return answer(200);
    }
    const { type, challenge, event_id: id, event } = JSON.parse(body);
    if (type === "url_verification") return answer(200, challenge);
    if (type === "event_callback") await take(id, event);
    // Only now: if we die before, Slack delivers it again.
    return answer(200);
  } catch (error) {
    console.error(JSON.stringify({ about: "slack", kind: "event-failed", reason: (error as { code?: string }).code }));
    return answer(500);
  }
});

await channel.start();
server.listen(Number(port), "127.0.0.1", () => console.log(`listening on ${JSON.stringify(server.address())}`));
for (const signal of ["SIGINT", "SIGTERM"] as const)
  process.once(signal, async () => {
    server.close();
    await channel.stop();
    await host.close();
    await store.close();
    process.exit(0);
  });
