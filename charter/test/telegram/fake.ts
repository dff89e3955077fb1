import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import {
  type Answer,
  type Button,
  checkCall,
  messageOf,
  methods,
  no,
  ok,
  pathOf,
  type Sent,
  type World,
} from "./bot-api.ts";

/** What can go wrong on the way, or at Telegram's. */
export type Trouble =
  | "drop"
  | "hang"
  | "html"
  | { readonly status: number }
  | { readonly retryAfter: number }
  | { readonly refusal: string };

export type Call = { readonly method: string; readonly payload: Record<string, unknown>; readonly status: number };

/** Telegram, as far as a bot can see it: a real server, and as strict as the real one or stricter. */
export type FakeTelegram = {
  readonly url: string;
  readonly token: string;
  readonly world: World;
  /** Every call, in order, with what it was answered; 0: the connection was lost. */
  readonly calls: readonly Call[];
  /** Someone writes to the bot in their private chat; gives the update's number. */
  readonly says: (chat: number, text: string) => number;
  /** A file that can be asked for by this id; `said`: the size Telegram claims it has. */
  readonly keeps: (id: string, bytes: Uint8Array, said?: number) => void;
  /** Any update, as it would come. */
  readonly happens: (update: object) => number;
  /** Someone presses a button under the newest message of theirs that has it, or sends data of their own. */
  readonly presses: (chat: number, button: string, data?: string) => number;
  /** The same update once more, as if it had never been confirmed. */
  readonly again: (update: number) => void;
  readonly sentTo: (chat: number) => readonly Sent[];
  readonly textsTo: (chat: number) => readonly string[];
  readonly block: (chat: number) => void;
  /** The next calls of a method ("*": of any) meet with trouble, one each. */
  readonly trouble: (method: string, ...troubles: Trouble[]) => void;
  /** Nobody gets through, until they do. */
  readonly down: () => void;
  readonly up: () => void;
  /** The token is worth nothing any more. */
  readonly revoke: () => void;
  /** How many calls came before the time that Telegram had asked to wait. */
  readonly tooSoon: () => number;
  /** How many updates nobody has confirmed. */
  readonly pending: () => number;
  /** Posts to this address reach the handler; a real one would have to speak https. */
  readonly reaches: (url: string, handler: (request: Request) => Promise<Response>) => void;
  /** Resolves as soon as something is true. Looked at after every call. */
  readonly until: (what: () => boolean) => Promise<void>;
  /** Comes when so many messages stand in a chat. */
  readonly sent: (chat: number, count: number) => Promise<void>;
  readonly close: () => Promise<void>;
};

type Update = { readonly update_id: number } & Record<string, unknown>;
type Webhook = { readonly url: string; readonly secret: string | undefined };
type Poll = { readonly answer: (given: Answer) => void; readonly limit: number };

export async function startTelegram({
  clock = () => new Date(),
}: {
  readonly clock?: () => Date;
} = {}): Promise<FakeTelegram> {
  const token = "4711:a-token-of-a-test";
  const world: World = {
    bot: { id: 4711, username: "charter_test_bot" },
    chats: new Map(),
    sent: [],
    queries: new Set(),
    toasts: [],
    files: new Map(),
    actions: [],
  };
  const calls: Call[] = [];
  const all = new Map<number, Update>();
  let queue: Update[] = [];
  let next = 1000;
  let valid = true;
  let isDown = false;
  let early = 0;
  let webhook: Webhook | undefined;
  let allowed: readonly string[] = [];
  let poll: Poll | undefined;
  let posting = false;
  const handlers = new Map<string, (request: Request) => Promise<Response>>();
  const troubles: { method: string; trouble: Trouble }[] = [];
  const notBefore = new Map<string, number>();
  const waiting = new Set<() => void>();
  const look = () => {
    for (const one of waiting) one();
  };

  const givePoll = () => {
    if (!poll || queue.length === 0) return;
    const { answer, limit } = poll;
    poll = undefined;
    answer(ok(queue.slice(0, limit)));
  };
  const post = async () => {
    if (posting) return;
    posting = true;
    for (let update = queue[0]; webhook && update; update = queue[0]) {
      const { url, secret } = webhook;
      const headers = {
        "content-type": "application/json",
        ...(secret ? { "x-telegram-bot-api-secret-token": secret } : {}),
      };
      const request = new Request(url, { method: "POST", headers, body: JSON.stringify(update) });
      const { status } = await (handlers.get(url)?.(request) ?? Promise.resolve(new Response("", { status: 502 })));
      calls.push({ method: "(post)", payload: { update: update.update_id }, status });
      if (status >= 200 && status < 300) queue = queue.filter((one) => one !== update);
      else await new Promise((resolve) => setTimeout(resolve, 5));
      look();
    }
    posting = false;
  };
  const enqueue = (update: Update) => {
    queue = [...queue, update];
    givePoll();
    void post();
  };
  const happens = (given: object): number => {
    const update = { update_id: next++, ...given };
    const kind = Object.keys(given)[0] as string;
    all.set(update.update_id, update);
    if (allowed.length === 0 || allowed.includes(kind)) enqueue(update);
    return update.update_id;
  };

  const stateful: Readonly<
    Record<string, (payload: Record<string, unknown>, wait: (late: Promise<Answer>) => void) => Answer | undefined>
  > = {
    getUpdates: ({ offset = 0, limit = 100, timeout = 0, allowed_updates: kinds }, wait) => {
      if (webhook)
        return no(
          409,
          "Conflict: can't use getUpdates method while webhook is active; use deleteWebhook to delete the webhook first",
        );
      poll?.answer(
        no(409, "Conflict: terminated by other getUpdates request; make sure that only one bot instance is running"),
      );
      poll = undefined;
      if (Number(limit) < 1 || Number(limit) > 100) return no(400, "Bad Request: wrong limit");
      if (kinds) allowed = kinds as string[];
      queue =
        Number(offset) < 0 ? queue.slice(Number(offset)) : queue.filter(({ update_id: id }) => id >= Number(offset));
      look();
      if (queue.length > 0 || timeout === 0) return ok(queue.slice(0, Number(limit)));
      wait(
        new Promise((resolve) => {
          const timer = setTimeout(() => mine.answer(ok([])), Number(timeout) * 1000).unref();
          const mine: Poll = {
            limit: Number(limit),
            answer: (given) => {
              clearTimeout(timer);
              if (poll === mine) poll = undefined;
              resolve(given);
            },
          };
          poll = mine;
        }),
      );
      return undefined;
    },
    setWebhook: ({ url, secret_token: secret, allowed_updates: kinds }) => {
      if (url === "") webhook = undefined;
      else if (!/^https:\/\/[^/]+\.[^/]+/.test(String(url)))
        return no(400, "Bad Request: bad webhook: An HTTPS URL must be provided for webhook");
      else if (secret !== undefined && !/^[\w-]{1,256}$/.test(String(secret)))
        return no(400, "Bad Request: secret token contains unallowed characters");
      else webhook = { url: String(url), secret: secret as string | undefined };
      if (kinds) allowed = kinds as string[];
      void post();
      return ok(true);
    },
    deleteWebhook: ({ drop_pending_updates: drop = false }) => {
      webhook = undefined;
      if (drop) queue = [];
      return ok(true);
    },
    getWebhookInfo: () =>
      ok({ url: webhook?.url ?? "", has_custom_certificate: false, pending_update_count: queue.length }),
  };

  const troubleFor = (method: string): Trouble | undefined => {
    const now = clock().getTime();
    const until = notBefore.get(method);
    if (until !== undefined && now < until) {
      early++;
      return { retryAfter: Math.ceil((until - now) / 1000) };
    }
    const index = troubles.findIndex((one) => one.method === method || one.method === "*");
    const trouble = index === -1 ? undefined : troubles.splice(index, 1)[0]?.trouble;
    if (typeof trouble === "object" && "retryAfter" in trouble) notBefore.set(method, now + trouble.retryAfter * 1000);
    return trouble;
  };

  const handle = async (request: IncomingMessage, response: ServerResponse) => {
    const lost = (method: string) => {
      calls.push({ method, payload: {}, status: 0 });
      request.socket.destroy();
      look();
    };
    if (isDown) return lost("(down)");
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const [, isFile, given, rest = ""] = /^(\/file)?\/bot([^/]+)\/(.+)$/.exec(request.url ?? "") ?? [];
    const method = isFile ? "(file)" : rest;
    let payload: Record<string, unknown> = {};
    const reply = (answer: Answer) => {
      calls.push({ method, payload, status: answer.status });
      response.writeHead(answer.status, { "content-type": "application/json" }).end(JSON.stringify(answer.body));
      look();
    };
    if (given === undefined || !/^\d+:/.test(given)) return reply(no(404, "Not Found"));
    if (given !== token || !valid) return reply(no(401, "Unauthorized"));
    try {
      if (chunks.length > 0) payload = JSON.parse(Buffer.concat(chunks).toString("utf8"));
    } catch {
      return reply(no(400, "Bad Request: can't parse JSON object"));
    }
    const trouble = troubleFor(method);
    if (trouble === "drop") return lost(method);
    if (trouble === "hang") {
      if (isFile) calls.push({ method, payload, status: 0 });
      return look();
    }
    if (trouble === "html") {
      calls.push({ method, payload, status: 502 });
      response.writeHead(502, { "content-type": "text/html" }).end("<html>Bad Gateway</html>");
      return look();
    }
    if (typeof trouble === "object" && "retryAfter" in trouble)
      return reply(
        no(429, `Too Many Requests: retry after ${trouble.retryAfter}`, { retry_after: trouble.retryAfter }),
      );
    if (typeof trouble === "object" && "refusal" in trouble) return reply(no(400, `Bad Request: ${trouble.refusal}`));
    if (typeof trouble === "object")
      return reply(
        no(trouble.status, trouble.status === 403 ? "Forbidden: user is deactivated" : "Internal Server Error"),
      );
    if (isFile) {
      const [, file] = [...world.files].find(([id]) => pathOf(id) === decodeURIComponent(rest)) ?? [];
      if (!file) return reply(no(404, "Not Found"));
      calls.push({ method, payload, status: 200 });
      // In chunks: nobody is told its length beforehand.
      response.writeHead(200, { "content-type": "application/octet-stream" });
      for (let at = 0; at < file.bytes.length && !response.destroyed; at += 65_536)
        response.write(file.bytes.subarray(at, at + 65_536));
      response.end();
      return look();
    }
    const fault = checkCall(method, payload);
    if (fault) return reply(fault);
    const own = stateful[method];
    if (!own) return reply((methods[method] as (typeof methods)[string])(world, payload));
    let late: Promise<Answer> | undefined;
    const answer = own(payload, (one) => {
      late = one;
      const mine = poll;
      response.once("close", () => {
        if (poll === mine) poll = undefined;
      });
    });
    reply(answer ?? (await (late as unknown as Promise<Answer>)));
  };

  const server = createServer((request, response) => void handle(request, response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const sentTo = (chat: number) => world.sent.filter((one) => one.chat === chat);
  const until = (what: () => boolean) =>
    new Promise<void>((resolve) => {
      const one = () => {
        if (!what()) return;
        waiting.delete(one);
        resolve();
      };
      waiting.add(one);
      one();
    });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    token,
    world,
    calls,
    happens,
    keeps: (id, bytes, said) => void world.files.set(id, { bytes, said }),
    says: (chat, text) => {
      if (!world.chats.has(chat)) world.chats.set(chat, { blocked: false });
      return happens({ message: privateMessage(chat, next, { date: Math.floor(clock().getTime() / 1000), text }) });
    },
    presses: (chat, button, data) => {
      const under = world.sent.findLast((one) => one.chat === chat && (data !== undefined || hasButton(one, button)));
      const pressed = data ?? under?.buttons.find(({ text }) => text === button)?.data;
      if (!under || pressed === undefined) throw new Error(`There is no button “${button}” in chat ${chat}.`);
      const id = `query-${next}`;
      world.queries.add(id);
      const from = { id: chat, is_bot: false, first_name: "Someone" };
      return happens({
        callback_query: { id, from, chat_instance: "1", data: pressed, message: messageOf(world, under) },
      });
    },
    again: (id) => enqueue(all.get(id) as Update),
    sentTo,
    textsTo: (chat) => sentTo(chat).map(({ text }) => text),
    block: (chat) => void world.chats.set(chat, { blocked: true }),
    trouble: (method, ...list) => void troubles.push(...list.map((trouble) => ({ method, trouble }))),
    down: () => {
      isDown = true;
      server.closeAllConnections();
    },
    up: () => {
      isDown = false;
    },
    revoke: () => {
      valid = false;
    },
    tooSoon: () => early,
    pending: () => queue.length,
    reaches: (url, handler) => void handlers.set(url, handler),
    until,
    sent: (chat, count) => until(() => sentTo(chat).length === count),
    close: async () => {
      webhook = undefined;
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function hasButton({ buttons }: { readonly buttons: readonly Button[] }, name: string): boolean {
  return buttons.some(({ text }) => text === name);
}

/** A message someone sent in their private chat; whatever it holds. */
export function privateMessage(chat: number, id: number, more: object): object {
  const person = { id: chat, first_name: "Someone" };
  return {
    message_id: id,
    date: 1_771_416_000,
    from: { ...person, is_bot: false },
    chat: { ...person, type: "private" },
    ...more,
  };
}
