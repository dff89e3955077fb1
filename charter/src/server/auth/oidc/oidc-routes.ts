import { timingSafeEqual } from "node:crypto";
import type { Context, Hono } from "hono";
import { getCookie } from "hono/cookie";
import { Problem } from "../../../prompt/problem.ts";
import { type Person, takenIdentity } from "../../../store/accounts/identities.ts";
import type { Store } from "../../../store/store.ts";
import type { ApiEnv } from "../../api.ts";
import { addressOf } from "../address.ts";
import { cookieName } from "../credentials.ts";
import { tooManyRequests } from "../failed-attempts.ts";
import { createRateLimiter } from "../rate-limiter.ts";
import { setSession } from "../sign-in-code.ts";
import { type AskedStep, askedStep } from "../sign-in-step.ts";
import { flowOf } from "./flow.ts";
import type { Issuer } from "./issuer.ts";
import type { Oidc } from "./oidc.ts";
import { type ChatUser, whoIs } from "./person.ts";

/** What signing in at an issuer needs. */
export type OidcSignIn = {
  readonly oidc: Oidc;
  readonly issuer: Issuer;
  readonly store: Store;
  /** Where others reach this server: people come back there, and nowhere else. */
  readonly base: () => string;
  readonly now: () => number;
  readonly proxies: number | undefined;
};

/** Begins a sign-in at the issuer and answers with where to go for it. */
export type BeginOidc = (
  context: Context<ApiEnv>,
  asked: AskedStep,
  about: { readonly leadsTo: string; readonly agent?: string; readonly user?: string },
) => Promise<Response>;

const minutes = 10;
/** So many sign-ins may begin at one address in a minute: a house full of people has one. */
const startsPerMinute = 120;
const doors = { chat: "/chat/oidc", studio: "/oidc" } as const;

/** Signing in at the issuer, at the page for users and at the studio. It ends in a code, as every other way in does. */
export function serveOidc(app: Hono<ApiEnv>, about: OidcSignIn): BeginOidc {
  const { store, issuer, base, oidc } = about;
  const starts = createRateLimiter(about.now);
  const begin: BeginOidc = async (context, asked, { leadsTo, ...whose }) => {
    // The cookie stays with the name it was set under: whoever came by another goes to the one they come back to.
    const [here, own] = [context.req.header("origin"), new URL(base()).origin];
    if (here !== undefined && here !== own)
      return context.json({ url: `${base()}${context.req.path}${asked.query}${asked.code ? `#${asked.code}` : ""}` });
    const wait = starts.consume(addressOf(context, about.proxies), startsPerMinute);
    if (wait > 0) return tooManyRequests(context, wait, "Too many sign-ins began at this address.");
    const secret = await store.identities.begin({ leadsTo, ...whose });
    const door = doors[leadsTo === "studio" ? "studio" : "chat"];
    const url = await issuer.startAt(flowOf(secret), `${base()}${door}/return`);
    setSession(context, { whose: "oidc", path: door, secret, seconds: minutes * 60 });
    return context.json({ url });
  };
  /** Who came back, and what they began: once, in the browser that began it. */
  const finish = async (context: Context<ApiEnv>, door: string) => {
    const { query } = await askedStep(context);
    const secret = getCookie(context, cookieName("oidc", context.req.url)) ?? "";
    const flow = flowOf(secret);
    if (!isEqual(new URLSearchParams(query).get("state") ?? "", flow.state)) throw notBegun();
    const begun = await store.identities.take(secret);
    if (!begun) throw notBegun();
    setSession(context, { whose: "oidc", path: door, secret: "" });
    return { begun, person: await issuer.finish(flow, `${base()}${door}/return`, query) };
  };
  app.post(doors.chat, async (context) => {
    const asked = await askedStep(context);
    const agent = new URLSearchParams(asked.query).get("agent");
    if (agent !== null && !(await store.agents.find(agent))) throw unknownAgent();
    return begin(context, asked, { leadsTo: "chat", ...(agent === null ? {} : { agent }) });
  });
  app.post(`${doors.chat}/return`, async (context) => {
    const { begun, person } = await finish(context, doors.chat);
    if (begun.leadsTo === "studio") throw notBegun();
    const found = begun.user === null ? await known(about, person) : await bound(about, begun, person);
    const mine = found.filter(({ agent }) => begun.agent === null || begun.agent === agent);
    const [whose, ...others] = mine;
    if (!whose) throw unknownPerson(person);
    if (others.length > 0) return context.json({ agents: mine.map(({ agent }) => agent) });
    const { secret } = await store.tokens.create({ name: "signed in at the issuer", kind: "sign-in", ...whose });
    return context.json({ url: `/chat#${secret}` });
  });
  app.post(doors.studio, async (context) => begin(context, await askedStep(context), { leadsTo: "studio" }));
  app.post(`${doors.studio}/return`, async (context) => {
    const { begun, person } = await finish(context, doors.studio);
    if (begun.leadsTo !== "studio") throw notBegun();
    if (!oidc.operators?.includes(person.subject)) throw notOperator(person);
    const { secret } = await store.tokens.create({ name: "signed in at the issuer", kind: "sign-in" });
    return context.json({ url: `/sign-in#${secret}` });
  });
  return begin;
}

async function known({ store, oidc }: OidcSignIn, person: Person): Promise<ChatUser[]> {
  const [bound, agents] = await Promise.all([store.identities.of(person), store.agents.list()]);
  return whoIs(person, { people: oidc.people ?? [], bound, agents: agents.map(({ name }) => name) });
}

/** Whoever comes back from their invitation is its user from now on. */
async function bound(
  { store, oidc }: OidcSignIn,
  { leadsTo, agent, user }: { readonly leadsTo: string; readonly agent: string | null; readonly user: string | null },
  person: Person,
): Promise<ChatUser[]> {
  const [listed] = whoIs(person, { people: oidc.people ?? [], bound: [], agents: agent === null ? [] : [agent] });
  if (listed && listed.user !== user) throw takenIdentity(listed);
  const identity = await store.identities.bind(leadsTo, person);
  if (identity) return [{ agent: identity.agent, user: identity.user }];
  throw new Problem(
    "bad-sign-in",
    "The invitation was used, revoked or has expired meanwhile.",
    "Ask whoever runs the assistant for a new one.",
  );
}

function isEqual(one: string, other: string): boolean {
  const [first, second] = [Buffer.from(one), Buffer.from(other)];
  return first.length === second.length && timingSafeEqual(first, second);
}

function notBegun(): Problem {
  return new Problem(
    "bad-sign-in",
    "This sign-in was not begun in this browser, has expired or was already used.",
    "Start again.",
  );
}

function unknownAgent(): Problem {
  return new Problem("not-found", "There is no such assistant here.", "Check the address, or leave the agent out.");
}

function unknownPerson({ issuer, subject }: Person): Problem {
  return new Problem(
    "unknown-person",
    `You are signed in at ${issuer} as “${subject}”, and nobody here is known by that.`,
    "If you were invited, open your invitation and sign in from there. If not, ask whoever runs the assistant to invite you.",
  );
}

function notOperator({ issuer, subject }: Person): Problem {
  return new Problem(
    "unknown-person",
    `You are signed in at ${issuer} as “${subject}”, which is not on the list of operators.`,
    "Whoever runs Charter adds it to oidc.operators in charter.config.ts. You use an assistant, and do not run it? Sign in at /chat.",
  );
}
