import type { IncomingMessage, ServerResponse } from "node:http";
import type { Hono } from "hono";
import type { Host } from "../host/host.ts";
import type { Caller } from "../operations/caller.ts";
import type { AutomataFacts } from "../operations/operation.ts";
import type { Access } from "./auth/access.ts";
import type { CommandHint, DemoFacts } from "./http/this-server.ts";
import type { Log } from "./observe/log.ts";

/** Values that every route finds in a request's context. */
export type ApiEnv = {
  readonly Bindings: NodeBindings;
  readonly Variables: {
    caller: Caller;
    /** Permission of the request: it ends long answers when the caller is shut out meanwhile. */
    access: Access;
    requestId: string;
    /** Counts work that goes on after the answer among the caller's concurrent requests. */
    hold: (work: Promise<unknown>) => void;
    /** Code of the error, for the log. */
    code?: string;
    /** JSON of an answer without a body, which `send` is given when its headers are complete. */
    json?: string;
  };
};

/** Node's own request, whose socket knows the client's address. */
export type NodeBindings = {
  readonly incoming?: IncomingMessage;
  readonly outgoing?: ServerResponse;
  /** Sends an answer with this text. A `Response` makes a stream of its text, which takes longer than reading the request. */
  readonly send?: (answer: Response, text: string) => Response;
};

/** Object that routes are added to. Paths are written without `/api`: `api.get("/agents", …)` answers `GET /api/agents`. */
type Api = Hono<ApiEnv>;

/** Context of all routes: the host, the operator's name, the log. */
export type RouteContext = {
  readonly host: Host;
  /** User id of the operator when they chat themselves. */
  readonly operator: string;
  /** Aborted when the server is about to close, so that streams end that never would. */
  readonly closing: AbortSignal;
  /** Log for errors after the answer has begun: by request id, never with anyone's text. */
  readonly log?: Log;
  /** Address that redeems a link code with a click, for channels that have one. */
  readonly linkUrl?: LinkUrl;
  /** Public address of this server, if configured; else the one a request came to. */
  readonly url?: string;
  /** Texts of a demo: every page says that it is one, and what to try. */
  readonly demo?: DemoFacts;
  /** Settings of agents that live by themselves. */
  readonly automata: () => Promise<AutomataFacts>;
  /** Turns that were started here, and can be stopped here. */
  readonly stoppable: StoppableTurns;
  /** Command name and options, as they are typed where this server runs. */
  readonly command: CommandHint;
};

/** Makes the address that links a chat with one click, for channels that have one. */
export type LinkUrl = (about: {
  readonly agent: string;
  readonly channel: string;
  readonly code: string;
}) => string | undefined;

/** Function that adds routes to the API. Pass your own to `createApi` besides `allRoutes`. */
export type Routes = (api: Api, serving: RouteContext) => void;

/** Turns that this process takes over HTTP, by id, to stop them. Other processes stop their own. */
export type StoppableTurns = {
  readonly add: (turn: string, controller: AbortController) => void;
  readonly remove: (turn: string) => void;
  /** Stops a turn; false if there is no such turn here. */
  readonly stop: (turn: string) => boolean;
};

export function createStoppableTurns(): StoppableTurns {
  const running = new Map<string, AbortController>();
  return {
    add: (turn, controller) => running.set(turn, controller),
    remove: (turn) => running.delete(turn),
    stop: (turn) => {
      const stopper = running.get(turn);
      stopper?.abort();
      return stopper !== undefined;
    },
  };
}
