import { randomUUID } from "node:crypto";
import { Hono } from "hono";
import type { KnownChain } from "../channels/chain/chain-status.ts";
import type { Host } from "../host/host.ts";
import type { ApiEnv, LinkUrl, NodeBindings, RouteContext, Routes } from "./api.ts";
import { createAccessWatch } from "./auth/access.ts";
import { authenticate } from "./auth/authenticate.ts";
import { serveChatSignIn, serveChatSignOut } from "./auth/chat-routes.ts";
import { createFailedAttempts } from "./auth/failed-attempts.ts";
import { createFindCaller } from "./auth/find-caller.ts";
import { checkProxies, createForwardedNotice } from "./auth/forwarded.ts";
import { serveInvitations } from "./auth/invitation-routes.ts";
import { createJwtCheck, type Jwt } from "./auth/json-web-token.ts";
import { createIssuer } from "./auth/oidc/issuer.ts";
import { checkOidc, type Oidc } from "./auth/oidc/oidc.ts";
import { type OidcSignIn, serveOidc } from "./auth/oidc/oidc-routes.ts";
import { serveSignIn, serveSignOut } from "./auth/sign-in-routes.ts";
import { createFindSigner } from "./auth/signed-caller.ts";
import type { DemoFacts } from "./demo-facts.ts";
import { readiness, serveHealth } from "./health.ts";
import { type ApiLimitOptions, apiLimits } from "./http/api-limits.ts";
import { commandHint } from "./http/command-hint.ts";
import { createCrossOrigin } from "./http/cross-origin.ts";
import { demoPages } from "./http/demo-page.ts";
import { failure } from "./http/error.ts";
import { createHostCheck, type HostNames, hostNamesFor } from "./http/host-header.ts";
import type { Every } from "./http/interval.ts";
import { notFoundAnswer } from "./http/not-found.ts";
import { signInPages } from "./http/sign-in-page.ts";
import { signInStepPages, withIssuer } from "./http/sign-in-step-page.ts";
import { type StaticPages, servePages } from "./http/static-pages.ts";
import { statusOf } from "./http/status.ts";
import type { SignedInbox } from "./inbox/signed-inbox.ts";
import { serveMcp } from "./mcp-route.ts";
import type { Log } from "./observe/log.ts";
import { createMetrics } from "./observe/metrics.ts";
import { requestLog } from "./observe/request-log.ts";
import { serveReference } from "./reference/reference.ts";
import { createStoppableTurns } from "./turns/stoppable-turns.ts";
import { serveWebhooks, type Webhooks } from "./webhooks.ts";

/** What `createApi` is given: the host and the routes; everything else has a default. */
export type ApiOptions = {
  readonly host: Host;
  /** Who the operator is when they chat themselves. */
  readonly operator: string;
  readonly routes: readonly Routes[];
  /** JSON Web Tokens of users; without it none is taken. */
  readonly jwt?: Jwt | undefined;
  /** The issuer people sign in at, and where they come back to; `url`, unless given. */
  readonly oidc?: (Oidc & { readonly base?: () => string }) | undefined;
  /** Messages may be posted without a token, signed; for this address and chain. */
  readonly signed?: SignedInbox | undefined;
  readonly limits?: ApiLimitOptions | undefined;
  /** One line of JSON for each request. */
  readonly log?: Log | undefined;
  /** How many of those lines could not be written. */
  readonly lostLines?: (() => number) | undefined;
  /** Where each agent's Telegram updates come in: `POST /telegram/<agent>`. */
  readonly telegram?: Webhooks;
  readonly linkUrl?: LinkUrl;
  /** How often which agents take turns of their own, in milliseconds. */
  readonly everyMs?: ReadonlyMap<string, number>;
  /** The chains of agents, as far as the settings here name them. */
  readonly chains?: ReadonlyMap<string, KnownChain>;
  /** Where it will listen, where others reach it, and what else it is called: it answers to no other name. */
  readonly hostname?: string;
  readonly url?: string | undefined;
  readonly hosts?: HostNames | undefined;
  /** Other sites whose pages may ask, with a token. */
  readonly origins?: readonly string[] | undefined;
  /** How many proxies of our own stand before the server and add to X-Forwarded-For; unless it is said, none is believed. */
  readonly proxies?: number | undefined;
  readonly pages?: StaticPages;
  /** How the command is typed where this runs, and what it needs to reach this database: told to operators. */
  readonly command?: string | undefined;
  readonly commandOptions?: string | undefined;
  /** It is a demo, and every page says so. */
  readonly demo?: DemoFacts | undefined;
  readonly clock?: (() => Date) | undefined;
  readonly stopwatch?: () => number;
  /** How it is looked again and again whether those who are let in still may be. */
  readonly every?: Every;
};

/**
 * The HTTP API as a function from request to response. `listen` opens a port for it; any server with that interface
 * can.
 */
export type App = {
  readonly fetch: (request: Request, wire?: NodeBindings) => Promise<Response>;
  /** Answers that would never end, end; whoever asks whether the server is ready hears no. */
  readonly close: () => void;
  readonly limits: { readonly bodyBytes: number; readonly turnBodyBytes: number };
};

/** Creates the HTTP API of a host, with authentication, limits and logs. It opens no port. */
export function createApi(options: ApiOptions): App {
  const clock = options.clock ?? options.host.clock;
  const now = () => clock().getTime();
  const stopwatch = options.stopwatch ?? (() => performance.now());
  const { lostLines = () => 0 } = options;
  const metrics = createMetrics({ stopwatch, lostLines });
  const { host } = options;
  const { store } = host;
  metrics.watch(host);
  const limits = apiLimits(options.limits);
  checkProxies(options.proxies);
  const guesses = createFailedAttempts(limits, now, options.proxies);
  const callers = createFindCaller(store, {
    checkJwt: options.jwt && createJwtCheck(options.jwt, clock),
    signed: options.signed !== undefined,
  });
  const { proxies, signed: inbox } = options;
  const signers = inbox && createFindSigner({ store, inbox, limits, proxies, now });
  const closing = new AbortController();
  const { operator, linkUrl, everyMs, chains, log } = options;
  const watch = createAccessWatch({
    ...{ store, now, stopwatch, ...(options.every ? { every: options.every } : {}) },
    onEnd: ({ id: caller }, { code }) =>
      log?.({ about: "access", kind: "access-ended", caller, status: statusOf(code), code }),
  });
  const serving: RouteContext = {
    host,
    operator,
    closing: closing.signal,
    stoppable: createStoppableTurns(),
    ...(linkUrl && { linkUrl }),
    automata: async () => ({ everyMs, chains }),
    ...(options.url !== undefined && { url: options.url }),
    command: commandHint(options),
    ...(options.demo && { demo: options.demo }),
    ...(log && { log }),
  };

  const app = new Hono<ApiEnv>();
  app.onError((error, context) => failure(context, error));
  app.notFound((context) => notFoundAnswer(app, context));
  app.use(
    requestLog({
      noticeForwarded: createForwardedNotice(options.proxies, options.log),
      checkHost: createHostCheck(hostNamesFor(options)),
      crossOrigin: createCrossOrigin(options.origins ?? []),
      metrics,
      log: options.log,
      stopwatch,
      newId: randomUUID,
    }),
  );
  // What anyone may ask comes before the gate; everything that is added after it is behind it.
  serveHealth(app, { ready: readiness(store, now), lostLines, closing: closing.signal });
  const { oidc } = options;
  const steps = signInStepPages({ oidc: oidc !== undefined });
  const plain: StaticPages = new Map([...signInPages(serving.command), ...steps, ...(options.pages ?? [])]);
  const pages = oidc ? withIssuer(plain, oidc.issuer) : plain;
  servePages(app, options.demo ? demoPages(pages) : pages);
  serveSignIn(app, { store, guesses }, serving.command);
  serveChatSignIn(app, { store, guesses });
  serveInvitations(app, { store, guesses }, oidc && serveOidc(app, oidcSignIn(options, oidc, now)));
  serveWebhooks(app, { webhooks: options.telegram ?? new Map(), guesses });
  app.use(authenticate({ callers, signers, watch, limits, guesses, now }));
  serveSignOut(app, store);
  serveChatSignOut(app, store);
  const api = new Hono<ApiEnv>();
  for (const add of options.routes) add(api, serving);
  app.route("/api", api);
  // The same once more for the page for users, whose callers are users alone; it is described once.
  app.route("/chat/api", api);
  serveMcp(app, serving);
  serveReference(app, { host, metrics, isDemo: options.demo !== undefined });
  return {
    fetch: async (request, wire) => app.fetch(request, wire),
    close: () => closing.abort(),
    limits,
  };
}

function oidcSignIn(
  { host, proxies, url }: ApiOptions,
  { base = () => url as string, ...oidc }: NonNullable<ApiOptions["oidc"]>,
  now: () => number,
): OidcSignIn {
  return { oidc: checkOidc(oidc), issuer: createIssuer(oidc), store: host.store, base, now, proxies };
}
