import { randomUUID } from "node:crypto";
import { Hono } from "hono";
import type { KnownChain } from "../channels/chain/chain-status.ts";
import type { Host } from "../host/host.ts";
import { agentScopeFor, badToken, notAllowed, type Person, selfFor } from "../operations/caller.ts";
import { createMcpServers } from "../operations/mcp-server.ts";
import { allOperations } from "../operations/operations.ts";
import { loadPackage } from "../packages/load-package.ts";
import {
  type ApiEnv,
  createStoppableTurns,
  type LinkUrl,
  type NodeBindings,
  type RouteContext,
  type Routes,
} from "./api.ts";
import { createAccessWatch, type Every } from "./auth/access.ts";
import { createFindCaller } from "./auth/find-caller.ts";
import { createJwtCheck, type Jwt } from "./auth/json-web-token.ts";
import { checkOidc, type Oidc } from "./auth/oidc.ts";
import { createIssuer, type OidcSignIn, serveInvitations, serveOidc } from "./auth/oidc-routes.ts";
import {
  checkProxies,
  createFailedAttempts,
  createForwardedNotice,
  type FailedAttempts,
  serveChatSignIn,
  serveChatSignOut,
  serveSignIn,
  serveSignOut,
  tooManyRequests,
} from "./auth/sign-in.ts";
import { authenticate, createFindSigner } from "./auth/signed-caller.ts";
import type { GatewayOptions, McpServerConfig } from "./config.ts";
import { serveGateway } from "./gateway/gateway.ts";
import { readiness, serveHealth } from "./health.ts";
import { checkCharset } from "./http/body.ts";
import { failure, notFoundAnswer, statusOf } from "./http/error.ts";
import { type ApiLimitOptions, apiLimits } from "./http/limits.ts";
import { signInPages, signInStepPages, withIssuer } from "./http/sign-in-pages.ts";
import { demoPages, type StaticPages, servePages } from "./http/static-pages.ts";
import { commandHint, createHostCheck, type DemoFacts, type HostNames, hostNamesFor } from "./http/this-server.ts";
import type { Log } from "./observe/log.ts";
import { createMetrics } from "./observe/metrics.ts";
import { createCrossOrigin, requestLog } from "./observe/request-log.ts";
import { operationRoutes, type RouteHandler } from "./operation-routes.ts";
import { serveReference } from "./reference/reference.ts";
import type { SignedInbox } from "./signed-message.ts";
import { answerEvents } from "./turns/events.ts";
import { answerTurn } from "./turns/take-turn.ts";

/** Options of `createApi`: the host and the routes; everything else has a default. */
export type ApiOptions = {
  readonly host: Host;
  /** User id of the operator when they chat themselves. */
  readonly operator: string;
  readonly routes: readonly Routes[];
  /** JSON Web Tokens of users; by default none is accepted. */
  readonly jwt?: Jwt | undefined;
  /** Issuer at which people sign in, and the address they come back to; by default `url`. */
  readonly oidc?: (Oidc & { readonly base?: () => string }) | undefined;
  /** Accepts messages that are signed, without a token, for this address and chain. */
  readonly signed?: SignedInbox | undefined;
  /** Serves agents as models of OpenAI's API, under `/v1`. */
  readonly openai?: boolean | GatewayOptions | undefined;
  /** Settings of `/mcp`. */
  readonly mcpServer?: McpServerConfig | undefined;
  /** Header in which a chat page with one token (kind `gateway`) names the person of each request. */
  readonly openaiUser?: string | undefined;
  readonly limits?: ApiLimitOptions | undefined;
  /** Log that gets one line of JSON for each request. */
  readonly log?: Log | undefined;
  /** Number of those lines that could not be written. */
  readonly lostLines?: (() => number) | undefined;
  /** Handlers of each agent's Telegram updates: `POST /telegram/<agent>`. */
  readonly telegram?: Webhooks;
  readonly linkUrl?: LinkUrl;
  /** Interval of each automaton's own turns, in milliseconds. */
  readonly everyMs?: ReadonlyMap<string, number>;
  /** Chains of agents, as far as the settings name them. */
  readonly chains?: ReadonlyMap<string, KnownChain>;
  /** Host it will listen on, its public address, and further names: the server answers to no other name. */
  readonly hostname?: string;
  readonly url?: string | undefined;
  readonly hosts?: HostNames | undefined;
  /** Origins of other sites whose pages may call the API, with a token. */
  readonly origins?: readonly string[] | undefined;
  /** Number of our own proxies in front of the server that add to X-Forwarded-For; by default the header is ignored. */
  readonly proxies?: number | undefined;
  readonly pages?: StaticPages;
  /** Command as it is typed here, and its options to reach this database; shown to operators. */
  readonly command?: string | undefined;
  readonly commandOptions?: string | undefined;
  /** Texts of a demo: every page says that it is one. */
  readonly demo?: DemoFacts | undefined;
  readonly clock?: (() => Date) | undefined;
  readonly stopwatch?: () => number;
  /** Timer that repeats the checks of open requests' permissions. */
  readonly every?: Every;
};

/** The HTTP API as a function from request to response. `listen` opens a port for it; any server with that interface can. */
export type App = {
  readonly fetch: (request: Request, wire?: NodeBindings) => Promise<Response>;
  /** Ends streams that never would, and makes the readiness check fail. */
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
    userHeader: options.openaiUser,
  });
  const { proxies, signed } = options;
  const signers = signed && createFindSigner({ store, inbox: signed, limits, proxies, now });
  const closing = new AbortController();
  const { operator, linkUrl, everyMs, chains, log } = options;
  const watch = createAccessWatch({
    ...{ store, now, stopwatch, ...(options.every ? { every: options.every } : {}) },
    onEnd: ({ id }, { code }) =>
      log?.({ about: "access", kind: "access-ended", caller: id, status: statusOf(code), code }),
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

  const crossOrigin = createCrossOrigin(options.origins ?? []);
  const app = new Hono<ApiEnv>();
  app.onError((error, context) => failure(context, error));
  app.notFound((context) => notFoundAnswer(app, context));
  app.use(
    requestLog({
      noticeForwarded: createForwardedNotice(options.proxies, options.log),
      checkHost: createHostCheck(hostNamesFor(options)),
      crossOrigin,
      metrics,
      log: options.log,
      stopwatch,
      newId: randomUUID,
    }),
  );
  // Public routes come before the gate; everything that is added after it requires a caller.
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
  app.use("/mcp", crossOrigin.check);
  app.use(authenticate({ callers, signers, watch, limits, guesses, now }));
  serveSignOut(app, store);
  serveChatSignOut(app, store);
  const api = new Hono<ApiEnv>();
  for (const add of options.routes) add(api, serving);
  app.route("/api", api);
  // Mounted again for the page for users, whose callers are users alone; the reference describes it once.
  app.route("/chat/api", api);
  serveMcp(app, serving, options.mcpServer ?? {});
  if (options.openai) serveGateway(app, serving, options.openai === true ? {} : options.openai);
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

/** Sends the bytes of a turn's attachment. */
const answerAttachment: RouteHandler = async (context, { host, operator }, input) => {
  const caller = context.get("caller") as Person;
  const { agent, digest, user = selfFor(caller, operator).user } = input as AttachmentInput;
  const scope = await agentScopeFor({ store: host.store, caller }, agent, user);
  const { data, mediaType } = await host.store.attachments.get(scope, digest);
  const isPicture = mediaType.startsWith("image/");
  return context.body(new Uint8Array(data), 200, {
    // No file can run in the browser, whatever type it claims: text is plain, and only pictures are shown.
    "content-type": isPicture || mediaType === "application/pdf" ? mediaType : "text/plain; charset=utf-8",
    "content-disposition": isPicture ? "inline" : "attachment",
    "x-content-type-options": "nosniff",
    "content-security-policy": "default-src 'none'; sandbox",
    "cache-control": "private, max-age=3600, immutable",
  });
};

type AttachmentInput = { readonly agent: string; readonly digest: string; readonly user?: string };

/** All routes under `/api`, for `createApi`. */
export const allRoutes: readonly Routes[] = [
  operationRoutes(allOperations, {
    "turns.take": answerTurn,
    "turns.attachment": answerAttachment,
    "events.follow": answerEvents(),
  }),
];

/**
 * Serves `/mcp`: the operations that are tools, for models. It is behind the gate. A cookie does not open it, since pages have
 * routes of their own.
 */
function serveMcp(app: Hono<ApiEnv>, serving: RouteContext, { trusted }: McpServerConfig): void {
  const { host, operator } = serving;
  let handler: ReturnType<typeof createHandler> | undefined;
  app.all("/mcp", async (context) => {
    const caller = context.get("caller");
    if ((caller.kind !== "operator" && caller.kind !== "user") || caller.by === "cookie" || caller.by === "chat-cookie")
      throw notAllowed("tools over MCP");
    handler ??= createHandler();
    const about = caller.kind === "user" ? { agent: caller.agent, user: caller.user } : {};
    const { store, clock } = host;
    const asking = { store, clock, operator, caller, host: async () => host, service: serving, trusted };
    const body = await context.req.text();
    return (await handler)(context.req.raw, { about, asking, body });
  });
}

type Asking = {
  readonly about: { readonly agent?: string | undefined; readonly user?: string };
  readonly asking: Parameters<Awaited<ReturnType<typeof createMcpServers>>>[1];
  readonly body: string;
};

async function createHandler(): Promise<(request: Request, asking: Asking) => Promise<Response>> {
  const [{ createMcpHandler }, createServer] = await Promise.all([
    loadPackage("@modelcontextprotocol/server", { purpose: "An MCP server" }),
    createMcpServers(),
  ]);
  return async (request, { about, asking, body }) => {
    const { fetch } = createMcpHandler(() => createServer(about, asking), { maxSubscriptions: 0 });
    // The gate has read and limited the body already, so it is put into a new request.
    const again = new Request(request.url, {
      method: request.method,
      headers: request.headers,
      ...(body !== "" && { body }),
    });
    return fetch(again);
  };
}

/** Handlers of a channel's updates, by agent name. Each checks the sender's secret before it reads. */
export type Webhooks = ReadonlyMap<string, (request: Request) => Promise<Response>>;

/**
 * Serves webhooks. A sender without the secret does not even learn whether the agent exists. The right secret is accepted however
 * many wrong ones came before, so that nobody can keep Telegram out by guessing.
 */
function serveWebhooks(
  app: Hono<ApiEnv>,
  about: { readonly webhooks: Webhooks; readonly guesses: FailedAttempts },
): void {
  const { webhooks, guesses } = about;
  app.post("/telegram/:agent", async (context) => {
    const { url, headers, body } = context.req.raw;
    checkCharset(headers);
    const webhook = webhooks.get(context.req.param("agent"));
    const init = { method: "POST", headers: new Headers(headers), body, duplex: "half" };
    const answer = await webhook?.(new Request(url, init as RequestInit));
    if (answer && ![401, 403, 404].includes(answer.status)) return context.body(null, answer.ok ? 200 : 503);
    const seconds = guesses.waitSeconds(context);
    if (seconds > 0) return tooManyRequests(context, seconds, "Too many invalid secrets came from this address.");
    guesses.count(context, `${context.req.path} ${headers.get("x-telegram-bot-api-secret-token")}`);
    throw badToken();
  });
}
