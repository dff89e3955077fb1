import { createHash, timingSafeEqual } from "node:crypto";
import type { Context, Hono } from "hono";
import { getCookie } from "hono/cookie";
import type { ClientAuth, Configuration } from "openid-client";
import { loadPackage } from "../../packages/load-package.ts";
import { Problem } from "../../prompt/problem.ts";
import { type Person, takenIdentity } from "../../store/accounts/identities.ts";
import type { Store } from "../../store/store.ts";
import type { ApiEnv } from "../api.ts";
import { createRateLimiter } from "../http/limits.ts";
import { cookieName } from "./find-caller.ts";
import { memoise } from "./json-web-token.ts";
import { type ChatUser, type Oidc, whoIs } from "./oidc.ts";
import { type AskedStep, addressOf, askedStep, type SignIn, setSession, tooManyRequests } from "./sign-in.ts";

/** Dependencies of signing in at an issuer. */
export type OidcSignIn = {
  readonly oidc: Oidc;
  readonly issuer: Issuer;
  readonly store: Store;
  /** Public address of this server; people come back there and nowhere else. */
  readonly base: () => string;
  readonly now: () => number;
  readonly proxies: number | undefined;
};

/** Begins a sign-in at the issuer, and answers with the address to go to. */
type BeginOidc = (
  context: Context<ApiEnv>,
  asked: AskedStep,
  about: { readonly leadsTo: string; readonly agent?: string; readonly user?: string },
) => Promise<Response>;

const minutes = 10;
/**
 * Maximum number of sign-ins that may begin at one address in a minute. It is high, because a whole office may share one address.
 */
const maxStartsPerMinute = 120;
const doors = { chat: "/chat/oidc", studio: "/oidc" } as const;

/** Serves sign-in at the issuer, for the page for users and the studio. It ends in a sign-in code, as every other way does. */
export function serveOidc(app: Hono<ApiEnv>, about: OidcSignIn): BeginOidc {
  const { store, issuer, base, oidc } = about;
  const starts = createRateLimiter(about.now);
  const begin: BeginOidc = async (context, asked, { leadsTo, ...whose }) => {
    // The cookie is bound to the name it was set under, so a browser that used another name is sent to the one people come back
    // to.
    const [here, own] = [context.req.header("origin"), new URL(base()).origin];
    if (here !== undefined && here !== own)
      return context.json({ url: `${base()}${context.req.path}${asked.query}${asked.code ? `#${asked.code}` : ""}` });
    const wait = starts.consume(addressOf(context, about.proxies), maxStartsPerMinute);
    if (wait > 0) return tooManyRequests(context, wait, "Too many sign-ins began at this address.");
    const secret = await store.identities.begin({ leadsTo, ...whose });
    const door = doors[leadsTo === "studio" ? "studio" : "chat"];
    const url = await issuer.startAt(flowOf(secret), `${base()}${door}/return`);
    setSession(context, { whose: "oidc", path: door, secret, seconds: minutes * 60 });
    return context.json({ url });
  };
  /** Finishes a sign-in: once, and only in the browser that began it. */
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
    const step = await askedStep(context);
    const agent = new URLSearchParams(step.query).get("agent");
    if (agent !== null && !(await store.agents.find(agent))) throw unknownAgent();
    return begin(context, step, { leadsTo: "chat", ...(agent === null ? {} : { agent }) });
  });
  app.post(`${doors.chat}/return`, async (context) => {
    const { begun, person } = await finish(context, doors.chat);
    if (begun.leadsTo === "studio") throw notBegun();
    const users = begun.user === null ? await known(about, person) : await bound(about, begun, person);
    const mine = users.filter(({ agent }) => begun.agent === null || begun.agent === agent);
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

/** Binds a person who comes back from their invitation to its user. */
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

/**
 * Redeems an invitation. With an issuer it leads there, and is used up when the person comes back; otherwise it is exchanged for
 * a code at once.
 */
export function serveInvitations(
  app: Hono<ApiEnv>,
  { store: { invitations }, guesses }: SignIn,
  begin: BeginOidc | undefined,
): void {
  app.post("/chat/invitation", async (context) => {
    const step = await askedStep(context);
    const seconds = guesses.waitSeconds(context);
    if (seconds > 0) return tooManyRequests(context, seconds, "Too many invalid codes came from this address.");
    const invitation = begin && (await invitations.find(step.code));
    if (begin && invitation) {
      const { id, user, agent } = invitation;
      return begin(context, step, { leadsTo: id, user, agent });
    }
    const signIn = begin ? undefined : await invitations.accept(step.code);
    if (signIn) return context.json({ url: `/chat#${signIn.secret}` });
    guesses.count(context, step.code);
    throw new Problem(
      "bad-sign-in",
      "The invitation is unknown, has expired or was already used.",
      "If you have used it, sign in at /chat. If not, ask whoever runs the assistant for a new one.",
    );
  });
}

type Client = typeof import("openid-client");

/** Issuer at which people sign in. */
type Issuer = {
  /** Address to send the browser to; it comes back to `returnTo`. */
  readonly startAt: (flow: Flow, returnTo: string) => Promise<string>;
  /** Verifies the query a browser came back with, and returns the person. Anything invalid is a Problem. */
  readonly finish: (flow: Flow, returnTo: string, query: string) => Promise<Person>;
};

const timeoutSeconds = 10;

/**
 * Runs the authorization code flow with PKCE. Tokens are verified by their signature, although they come from the issuer
 * directly.
 */
export function createIssuer(oidc: Oidc): Issuer {
  const loading = memoise(async () => {
    const client = await loadPackage("openid-client", { purpose: "Signing in at an issuer" });
    return { client, config: await discover(client, oidc) };
  });
  return {
    startAt: async ({ state, nonce, verifier }, returnTo) => {
      const { client, config } = await loading();
      const challenge = await client.calculatePKCECodeChallenge(verifier);
      const pkce = { code_challenge: challenge, code_challenge_method: "S256" };
      const parameters = { redirect_uri: returnTo, scope: "openid", state, nonce, ...pkce };
      return client.buildAuthorizationUrl(config, parameters).href;
    },
    finish: async ({ state, nonce, verifier }, returnTo, query) => {
      const { client, config } = await loading();
      const back = new URL(returnTo);
      back.search = query;
      const expected = {
        expectedState: state,
        expectedNonce: nonce,
        pkceCodeVerifier: verifier,
        idTokenExpected: true,
      };
      const tokens = await client.authorizationCodeGrant(config, back, expected).catch((error: unknown) => {
        throw isOutage(error) ? unreachable(oidc.issuer) : refused(oidc.issuer, reasonIn(client, error));
      });
      const { iss, sub } = tokens.claims() ?? {};
      // Some issuers act for many: only claims under this one's own name count.
      if (iss === undefined || sub === undefined || iss !== config.serverMetadata().issuer || sub.length > 255)
        throw refused(oidc.issuer, undefined);
      return { issuer: iss, subject: sub };
    },
  };
}

async function discover(client: Client, { issuer, clientId, clientSecret, fetch }: Oidc): Promise<Configuration> {
  const isPlain = new URL(issuer).protocol === "http:";
  const auth = clientSecret === undefined ? client.None() : secretAuth(client, clientSecret);
  try {
    return await client.discovery(new URL(issuer), clientId, clientSecret, auth, {
      timeout: timeoutSeconds,
      execute: [client.enableNonRepudiationChecks, ...(isPlain ? [client.allowInsecureRequests] : [])],
      ...(fetch ? { [client.customFetch]: fetch as never } : {}),
    });
  } catch {
    throw unreachable(issuer);
  }
}

/** Sends the secret in the body if the issuer reads it there, else in the header, as is usual. */
function secretAuth(client: Client, secret: string): ClientAuth {
  const [post, basic] = [client.ClientSecretPost(secret), client.ClientSecretBasic(secret)];
  return (server, ...rest) => {
    const isRead = server.token_endpoint_auth_methods_supported?.includes("client_secret_post");
    return (isRead ? post : basic)(server, ...rest);
  };
}

/** Recognises failures of the network, as against answers of the issuer. */
function isOutage(error: unknown): boolean {
  const { code, name } = error as { code?: unknown; name?: unknown };
  return code === "OAUTH_TIMEOUT" || name === "TimeoutError" || (error instanceof TypeError && code === undefined);
}

/** Error code of the issuer's refusal, if it is a plain word. */
function reasonIn(client: Client, error: unknown): string | undefined {
  const isAnswer = error instanceof client.AuthorizationResponseError || error instanceof client.ResponseBodyError;
  return isAnswer && /^[a-z_]{1,40}$/.test(error.error) ? error.error : undefined;
}

function refused(issuer: string, reason: string | undefined): Problem {
  const reasonText = reason === undefined ? "What came back does not hold." : `Its reason: ${reason}.`;
  return new Problem("bad-sign-in", `You are not signed in by ${issuer}. ${reasonText}`, "Start again.");
}

function unreachable(issuer: string): Problem {
  return new Problem(
    "issuer-unreachable",
    `${issuer} cannot be reached, or is not set up as an issuer.`,
    "Try again in a while. The operator: check oidc.issuer, and that it answers.",
  );
}

/** Values that are sent with a sign-in and have to come back. */
type Flow = { readonly state: string; readonly nonce: string; readonly verifier: string };

/**
 * Derives all three from one secret, which the browser has as a cookie and the store as a digest. None can be computed from
 * another, and none is stored.
 */
export function flowOf(secret: string): Flow {
  const part = (what: string) => createHash("sha256").update(`${what}:${secret}`).digest("base64url");
  return { state: part("state"), nonce: part("nonce"), verifier: part("verifier") };
}
