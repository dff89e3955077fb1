import type { IncomingMessage, ServerResponse } from "node:http";
import type { OpenAPIHono } from "@hono/zod-openapi";
import type { Host } from "../host/host.ts";
import type { Access } from "./auth/access.ts";
import type { KnownChain } from "./chain-status.ts";
import type { DemoFacts } from "./demo-facts.ts";
import type { Caller } from "./http/caller.ts";
import type { CommandHint } from "./http/command-hint.ts";
import type { Log } from "./observe/log.ts";

/** What every route is told of a request. */
export type ApiEnv = {
  readonly Bindings: NodeBindings;
  readonly Variables: {
    caller: Caller;
    /** Whatever takes long ends when the caller is shut out meanwhile. */
    access: Access;
    requestId: string;
    /** Work that goes on when the request is answered counts among what its caller does at once. */
    hold: (work: Promise<unknown>) => void;
    /** Why it was no success, for the log. */
    code?: string;
  };
};

/** Where Node serves, the request as it came: its socket knows who is at the other end. */
export type NodeBindings = { readonly incoming?: IncomingMessage; readonly outgoing?: ServerResponse };

/** Where routes are added. Paths are written without `/api`: `api.get("/agents", …)` answers `GET /api/agents`. */
type Api = OpenAPIHono<ApiEnv>;

/** What routes work with: the host, the operator's name, the log. */
export type RouteContext = {
  readonly host: Host;
  /** Who the operator is when they chat themselves. */
  readonly operator: string;
  /** Aborted when the server is about to close: answers that would never end by themselves end then. */
  readonly closing: AbortSignal;
  /** For what goes wrong when the answer has begun: it is told there by request id, never in anyone's words. */
  readonly log?: Log;
  /** Where a link code is handed in by a click, for channels that have such an address. */
  readonly linkUrl?: LinkUrl;
  /** Where others reach this server, if that was said; else it is where they ask. */
  readonly url?: string;
  /** It is a demo: every page says so, and what to try. */
  readonly demo?: DemoFacts;
  /** How often the agents take turns of their own that live by themselves, in milliseconds, as far as that is known. */
  readonly everyMs?: ReadonlyMap<string, number>;
  /** The chains of agents, as far as the settings here name them. */
  readonly chains?: ReadonlyMap<string, KnownChain>;
  /** How the command is typed where this server runs. */
  readonly command: CommandHint;
};

/** Makes the address that links a chat with one click, for channels that have one. */
export type LinkUrl = (about: {
  readonly agent: string;
  readonly channel: string;
  readonly code: string;
}) => string | undefined;

/** A function that adds routes to the API. Pass your own to `createApi` besides `allRoutes`. */
export type Routes = (api: Api, serving: RouteContext) => void;
