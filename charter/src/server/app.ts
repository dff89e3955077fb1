import { randomUUID } from "node:crypto";
import { OpenAPIHono } from "@hono/zod-openapi";
import type { House } from "../channels/house/house.ts";
import { createAccessWatch } from "./access.ts";
import type { Asked, LinkUrl, Routes, Serving, Wire } from "./api.ts";
import { createCallers } from "./callers.ts";
import { crossOrigin } from "./cross-origin.ts";
import { envelope } from "./envelope.ts";
import { failure } from "./error.ts";
import type { Every } from "./every.ts";
import { faultsAnswer } from "./faults.ts";
import { checkProxies, createForwardedNotice } from "./forwarded.ts";
import { gate } from "./gate.ts";
import { createGuesses } from "./guesses.ts";
import { readiness, serveHealth } from "./health.ts";
import { type Hosts, hostCheck, hostsFor } from "./host.ts";
import { createJwtCheck, type Jwt } from "./json-web-token.ts";
import { apiLimits, type GivenApiLimits } from "./limits.ts";
import type { Log } from "./log.ts";
import { createMetrics } from "./metrics.ts";
import { notFoundAnswer } from "./not-found.ts";
import { type Pages, servePages } from "./pages.ts";
import { serveReference } from "./reference.ts";
import { signInPages } from "./sign-in-page.ts";
import { serveSignIn, serveSignOut } from "./signing-in.ts";
import { statusOf } from "./status.ts";
import { serveWebhooks, type Webhooks } from "./webhooks.ts";

export type ApiOptions = {
  readonly house: House;
  /** Who the operator is when they chat themselves. */
  readonly operator: string;
  readonly routes: readonly Routes[];
  /** JSON Web Tokens of users; without it none is taken. */
  readonly jwt?: Jwt;
  readonly limits?: GivenApiLimits;
  /** One line of JSON for each request. */
  readonly log?: Log;
  /** Where each agent's Telegram updates come in: `POST /telegram/<agent>`. */
  readonly telegram?: Webhooks;
  readonly linkUrl?: LinkUrl;
  /** Where it will listen, where others reach it, and what else it is called: it answers to no other name. */
  readonly host?: string;
  readonly url?: string;
  readonly hosts?: Hosts;
  /** Other sites whose pages may ask, with a token. */
  readonly origins?: readonly string[];
  /** How many proxies of our own stand before the server and add to X-Forwarded-For; unless it is said, none is believed. */
  readonly proxies?: number;
  readonly pages?: Pages;
  readonly clock?: () => Date;
  readonly stopwatch?: () => number;
  /** How it is looked again and again whether those who are let in still may be. */
  readonly every?: Every;
};

/** Everything the server answers, as a function from request to response: no port is open yet. */
export type App = {
  readonly fetch: (request: Request, wire?: Wire) => Promise<Response>;
  /** Answers that would never end, end; whoever asks whether the server is ready hears no. */
  readonly close: () => void;
  readonly limits: { readonly bodyBytes: number };
};

export function createApi(options: ApiOptions): App {
  const clock = options.clock ?? options.house.clock;
  const now = () => clock().getTime();
  const stopwatch = options.stopwatch ?? (() => performance.now());
  const metrics = createMetrics(stopwatch);
  const { house } = options;
  const { store } = house;
  metrics.watch(house);
  const limits = apiLimits(options.limits);
  checkProxies(options.proxies);
  const guesses = createGuesses(limits, now, options.proxies);
  const callers = createCallers(store, options.jwt && createJwtCheck(options.jwt, clock));
  const closing = new AbortController();
  const { operator, linkUrl, log } = options;
  const watch = createAccessWatch({
    ...{ store, now, stopwatch, ...(options.every ? { every: options.every } : {}) },
    onEnd: ({ id: caller }, { code }) =>
      log?.({ about: "access", kind: "access-ended", caller, status: statusOf(code), code }),
  });
  const serving: Serving = {
    house,
    operator,
    closing: closing.signal,
    ...(linkUrl && { linkUrl }),
    ...(log && { log }),
  };

  const app = new OpenAPIHono<Asked>();
  app.onError((error, context) => failure(context, error));
  app.notFound((context) => notFoundAnswer(app, context));
  app.use(
    envelope({
      noticeForwarded: createForwardedNotice(options.proxies, options.log),
      checkHost: hostCheck(hostsFor(options)),
      crossOrigin: crossOrigin(options.origins ?? []),
      metrics,
      log: options.log,
      stopwatch,
      newId: randomUUID,
    }),
  );
  // What anyone may ask comes before the gate; everything that is added after it is behind it.
  serveHealth(app, readiness(store, now), closing.signal);
  servePages(app, new Map([...signInPages, ...(options.pages ?? [])]));
  serveSignIn(app, { store, guesses, clock });
  serveWebhooks(app, { webhooks: options.telegram ?? new Map(), guesses });
  app.use(gate({ callers, watch, limits, guesses, now }));
  serveSignOut(app, store);
  const api = new OpenAPIHono<Asked>({ defaultHook: faultsAnswer });
  for (const add of options.routes) add(api, serving);
  app.route("/api", api);
  serveReference(app, { house, metrics });
  return {
    fetch: async (request, wire) => app.fetch(request, wire),
    close: () => closing.abort(),
    limits,
  };
}
