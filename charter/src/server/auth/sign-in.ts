import { isIP } from "node:net";
import type { Context, Hono } from "hono";
import { setCookie } from "hono/cookie";
import { signedOut } from "../../operations/caller.ts";
import { createBoundedMap } from "../../prompt/bounds.ts";
import { Problem } from "../../prompt/problem.ts";
import { type NewSession, sessionDays } from "../../store/accounts/tokens.ts";
import type { Store } from "../../store/store.ts";
import { sha256 } from "../../store/texts/packing.ts";
import type { ApiEnv } from "../api.ts";
import { readBody } from "../http/body.ts";
import { problemAnswer } from "../http/error.ts";
import { type ApiLimits, createRateLimiter } from "../http/limits.ts";
import { type CommandHint, commandLine } from "../http/this-server.ts";
import type { Log } from "../observe/log.ts";
import { checkSameOrigin, cookieName } from "./find-caller.ts";

const studioCookie = { whose: "session", path: "/" } as const;

/** Exchanges a sign-in code for a cookie. */
export function serveSignIn(app: Hono<ApiEnv>, about: SignIn, command: CommandHint): void {
  app.post("/sign-in", async (context) => {
    const hint = `Ask for a new one: \`${commandLine(command, "tokens sign-in")}\`.`;
    const redeemed = await redeemCode(context, about, { whose: "operator", hint });
    if (redeemed instanceof Response) return redeemed;
    const { secret, expiresAt } = redeemed;
    setSession(context, { ...studioCookie, secret });
    return context.json({ signedIn: true, expiresAt });
  });
}

/** Ends the session of the cookie that asks. Behind the gate. */
export function serveSignOut(app: Hono<ApiEnv>, store: Store): void {
  app.post("/sign-out", async (context) => {
    const caller = context.get("caller");
    if (caller.by === "cookie") await store.tokens.revoke(caller.id);
    setSession(context, { ...studioCookie, secret: "" });
    return context.json({ signedIn: false });
  });
}

/** Cookie of the page for users; its path keeps it out of all other requests. */
const chatCookie = { whose: "chat", path: "/chat" } as const;

/**
 * Exchanges a user's code for a session, at the page for users. The session has two halves: a cookie, which scripts cannot read,
 * and one that the page keeps and sends as a header. Either of them alone is useless.
 */
export function serveChatSignIn(app: Hono<ApiEnv>, about: SignIn): void {
  app.post("/chat/sign-in", async (context) => {
    const hint = "Ask for a new one: the assistant's bot (/web), or whoever runs the assistant.";
    const redeemed = await redeemCode(context, about, { whose: "user", hint });
    if (redeemed instanceof Response) return redeemed;
    const { user, agent, expiresAt } = redeemed;
    const [secret, half] = redeemed.secret.split(".") as [string, string];
    setSession(context, { ...chatCookie, secret });
    return context.json({ half, user, agent, expiresAt });
  });
}

/** Ends the session that asks, or all of this user's with this agent. Behind the gate. */
export function serveChatSignOut(app: Hono<ApiEnv>, { tokens }: Store): void {
  app.post("/chat/sign-out", async (context) => {
    const caller = context.get("caller");
    if (caller.kind !== "user" || caller.by !== "chat-cookie" || caller.agent === undefined) throw signedOut();
    if (isEverywhere(await context.req.text())) await tokens.endChats({ agent: caller.agent, user: caller.user });
    else await tokens.revoke(caller.id);
    setSession(context, { ...chatCookie, secret: "" });
    return context.json({ signedIn: false });
  });
}

function isEverywhere(body: string): boolean {
  try {
    const { everywhere = false, ...others } = body === "" ? {} : JSON.parse(body);
    if (typeof everywhere === "boolean" && Object.keys(others).length === 0) return everywhere;
  } catch {
    // A body that is not JSON ends this session only.
  }
  throw new Problem("bad-request", "The body is not understood.", "Send {}, or { everywhere: true }.");
}

/** Dependencies of signing in. */
export type SignIn = { readonly store: Store; readonly guesses: FailedAttempts };

/**
 * Redeems a code for a session, or returns the refusal for an address that guessed too often. A code for the other door is not
 * accepted, and stays valid there.
 */
async function redeemCode(
  context: Context<ApiEnv>,
  { store, guesses }: SignIn,
  { whose, hint }: { readonly whose: "operator" | "user"; readonly hint: string },
): Promise<NewSession | Response> {
  checkSameOrigin(context);
  const seconds = guesses.waitSeconds(context);
  if (seconds > 0) return tooManyRequests(context, seconds, "Too many invalid codes came from this address.");
  const code = codeIn(await readBody(context, 10_000));
  const token = code === undefined ? undefined : await store.tokens.redeem(code, whose);
  if (token) return token.session;
  guesses.count(context, code ?? "");
  throw new Problem("bad-sign-in", "The sign-in link is unknown, has expired or was already used.", hint);
}

function codeIn(body: string): string | undefined {
  try {
    const { code } = JSON.parse(body) as { code?: unknown };
    return typeof code === "string" && /^[\w-]{1,200}$/.test(code) ? code : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Sets a session cookie that scripts cannot read and other sites' pages do not send, and that is never sent without TLS where
 * there is TLS.
 */
export function setSession(
  context: Context<ApiEnv>,
  about: {
    readonly whose: Parameters<typeof cookieName>[0];
    readonly path: string;
    /** Session secret; an empty one deletes the cookie. */
    readonly secret: string;
    readonly seconds?: number;
  },
): void {
  const secure = context.req.url.startsWith("https:") || context.req.header("origin")?.startsWith("https:") === true;
  const { seconds = sessionDays * 86_400 } = about;
  setCookie(context, cookieName(about.whose, context.req.url), about.secret, {
    maxAge: about.secret === "" ? 0 : seconds,
    path: about.path,
    httpOnly: true,
    secure,
    sameSite: "Strict",
  });
}

/** Code behind the `#` of a sign-in page's address, and query behind the `?`. */
export type AskedStep = { readonly code: string; readonly query: string };

export async function askedStep(context: Context<ApiEnv>): Promise<AskedStep> {
  checkSameOrigin(context);
  try {
    const { code, query, ...others } = JSON.parse(await readBody(context, 20_000));
    if (isShort(code, 200) && isShort(query, 8_000) && Object.keys(others).length === 0) return { code, query };
  } catch (error) {
    if (error instanceof Problem) throw error;
  }
  throw new Problem("bad-request", "The body is not understood.", "Open the page again, and start there.");
}

function isShort(value: unknown, most: number): boolean {
  return typeof value === "string" && value.length <= most;
}

/** Counter of invalid credentials by address: tokens, sign-in codes, webhook secrets. */
export type FailedAttempts = {
  /** Returns the seconds to wait before another credential is checked. */
  readonly waitSeconds: (context: Context<ApiEnv>) => number;
  /** Counts a failure. The same wrong secret again is a mistake and no guess, so it counts once. */
  readonly count: (context: Context<ApiEnv>, secret: string) => void;
};

const maxRemembered = 10_000;

export function createFailedAttempts(
  limits: ApiLimits,
  now: () => number,
  proxies: number | undefined,
): FailedAttempts {
  const rate = createRateLimiter(now);
  const wrong = createBoundedMap<string, true>(maxRemembered);
  return {
    waitSeconds: (context) =>
      rate.size() === 0 ? 0 : rate.waitSeconds(addressOf(context, proxies), limits.failuresPerMinute),
    count: (context, secret) => {
      const digest = sha256(secret);
      if (wrong.has(digest)) return;
      wrong.set(digest, true);
      rate.consume(addressOf(context, proxies), limits.failuresPerMinute);
    },
  };
}

export function tooManyRequests(context: Context<ApiEnv>, seconds: number, what: string): Response {
  const problem = { code: "rate-limited", message: what, hint: `Try again in ${seconds} s.` };
  return problemAnswer(context, problem, { headers: { "retry-after": String(seconds) } });
}

/**
 * Address of a client, for limits: an IPv4 address, or the /64 of an IPv6 address (its owner has all addresses in it). `proxies`
 * is the number of our own proxies in front of the server: each adds the address it saw to the end of X-Forwarded-For, and anyone
 * may have written what stands further to the left. By default there are none, since any program on this machine may send the
 * header too. No other header is read.
 */
export function addressOf(context: Context<ApiEnv>, proxies = 0): string {
  const direct = context.env?.incoming?.socket.remoteAddress ?? "";
  const header = context.req.header("x-forwarded-for");
  if (proxies === 0 || header === undefined) return networkOf(direct);
  const addresses = header.split(",").map((one) => one.trim());
  return networkOf(addresses.at(-proxies) ?? (addresses[0] as string));
}

export function networkOf(address: string): string {
  const plain = bare(address).replace(/^::ffff:(?=\d+\.)/i, "");
  if (isIP(plain) === 4) return plain;
  if (isIP(plain) !== 6) return "unknown";
  const [before = "", after] = plain
    .replace(/%.*$/, "")
    .replace(/[\d.]+\.\d+$/, "0:0")
    .split("::");
  const groups = before.split(":").filter((group) => group !== "");
  const rest = (after ?? "").split(":").filter((group) => group !== "");
  const all = [...groups, ...Array<string>(8 - groups.length - rest.length).fill("0"), ...rest];
  const network = all.slice(0, 4).map((group) => Number.parseInt(group, 16).toString(16));
  return `${network.join(":")}::/64`;
}

/** Removes the brackets and the port some proxies write around an address. */
function bare(address: string): string {
  const bracketed = /^\[([^\]]*)\]/.exec(address)?.[1];
  if (bracketed !== undefined) return bracketed;
  return isIP(address) === 0 ? address.replace(/:\d+$/, "") : address;
}

/** Headers by which proxies name their client; anyone else may send them too. */
const headers = ["x-forwarded-for", "forwarded", "x-real-ip"] as const;

/**
 * Tells the operator, once, that requests come through a proxy although `proxies` is not set: then all its clients count as one
 * address, and share one limit of guesses. Any configured number, 0 included, silences it.
 */
export function createForwardedNotice(proxies: number | undefined, log: Log | undefined): (request: Headers) => void {
  let isReported = proxies !== undefined || log === undefined;
  return (request) => {
    const header = isReported ? undefined : headers.find((name) => request.has(name));
    if (header === undefined) return;
    isReported = true;
    log?.({
      ...{ about: "server", kind: "proxies-not-set", header },
      message: `A request came with “${header}”, which is ignored.`,
      hint: "Set proxies (CHARTER_PROXIES) to how many proxies of yours add to X-Forwarded-For; 0 for none.",
    });
  };
}

/** Checks the number of proxies: a wrong one would make the server trust what strangers wrote into the header. */
export function checkProxies(proxies: number | undefined): void {
  if (proxies === undefined || (Number.isSafeInteger(proxies) && proxies >= 0)) return;
  throw new Problem(
    "bad-config",
    `“proxies” is ${proxies}.`,
    "Give how many proxies of yours add to X-Forwarded-For: a whole number from 0 up.",
  );
}
