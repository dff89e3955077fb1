import type { IncomingMessage, ServerResponse } from "node:http";
import type { Hono } from "hono";
import type { Host } from "../host/host.ts";
import type { Caller } from "../operations/caller.ts";
import type { AutomataFacts } from "../operations/operation.ts";
import type { Access } from "./auth/access.ts";
import type { CommandHint, DemoFacts } from "./http/this-server.ts";
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
type Api = Hono<ApiEnv>;

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
  /** What the settings here say of agents that live by themselves. */
  readonly automata: () => Promise<AutomataFacts>;
  /** The turns that were asked for here: those it can stop. */
  readonly stoppable: StoppableTurns;
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

/** The turns this process takes over HTTP, by their ids: those it can stop. Others' only their own process can. */
export type StoppableTurns = {
  readonly add: (turn: string, controller: AbortController) => void;
  readonly remove: (turn: string) => void;
  /** Whether there was such a turn to stop. */
  readonly stop: (turn: string) => boolean;
};

export function createStoppableTurns(): StoppableTurns {
  const running = new Map<string, AbortController>();
  return {
    add: (turn, controller) => running.set(turn, controller),
    remove: (turn) => running.delete(turn),
    stop: (turn) => {
      const found = running.get(turn);
      found?.abort();
      return found !== undefined;
    },
  };
}
