import type { KnownChain } from "../channels/chain/chain-status.ts";
import type { Host } from "../host/host.ts";
import type { Store } from "../store/store.ts";
import type { Caller, Who } from "./caller.ts";
import type { Field, Fields, ValuesOf } from "./field.ts";

/**
 * An operation of Charter, declared once. Doors are derived from it: the HTTP route and its description, the command with its
 * options and help, a tool of the MCP server, the studio's typed client, the tables in docs.
 */
export type Operation<Input extends Fields = Fields, Answer = unknown, Route extends string = string> = {
  /** Subject and verb: `schedules.add`. */
  readonly name: string;
  /** Imperative sentence of what it does: “Schedule a turn”. Help, OpenAPI and refusals print it. */
  readonly says: string;
  /** Further sentences, for all doors. */
  readonly about?: string;
  /** Method and path under `/api`: `POST /agents/{agent}/schedules`. An operation without one has no route. */
  readonly route?: Route;
  /**
   * Command line: `schedules add <input...>`, words and then the values that are given without an option. `[list]` may be left
   * out.
   */
  readonly command?: string;
  /** Changes to the options that every command has: those this one lacks, or has with other words in its help. */
  readonly usualOptions?: { readonly database?: false; readonly json?: false | string };
  /** Gives it a help page of its own; its command's page only names it. */
  readonly hasOwnPage?: true;
  /** Command lines for its help, each with a few words about it if it needs them. */
  readonly examples?: readonly (string | readonly [line: string, about: string])[];
  /** Further text of a command's help: exit codes, later effects. */
  readonly notes?: string;
  /** Makes it a tool of the MCP server, so that a model may call it. */
  readonly tool?: true;
  readonly who: Who;
  readonly input: Input;
  /** Shapes of a route's body if there are several. The handler reads it; `input` is the rest. */
  readonly body?: Field<unknown>;
  readonly answer: Field<Answer>;
  /** Content type of the route's answer if it is not JSON. */
  readonly sends?: "text/event-stream" | "application/octet-stream";
  /** Lets the route answer with a stream of events as well. */
  readonly streams?: true;
  /** Example body for its route. */
  readonly example?: Readonly<Record<string, unknown>>;
  /** Success statuses and their meanings, the usual one first; by default `200`. */
  readonly statuses?: Readonly<Record<number, string>>;
  /** Error statuses besides those that every route has. */
  readonly refuses?: readonly (404 | 409 | 410 | 422 | 502)[];
  /** Maximum number of requests a minute over HTTP, of all callers together. */
  readonly perMinute?: number;
  /** Lets its command create a database where there is none. */
  readonly makesDatabase?: true;
  /** Runs it. A door that does it in its own way (a stream, a file, a terminal) names its own handler. */
  run?(context: OperationContext, input: ValuesOf<Input>): Promise<Answer>;
  /** Returns the status of an answer, and its body if that differs: a refusal with facts. */
  wire?(answer: Answer): { readonly status: number; readonly body?: unknown };
  /** Prints an answer for a person at a terminal. `there`: the database that was named, for commands it hints at, or nothing. */
  lines?(answer: Answer, input: ValuesOf<Input>, there?: string): Output;
};

/** Lines for standard output; or with them lines for standard error, and an exit code other than 0. */
export type Output =
  | readonly string[]
  | { readonly out: readonly string[]; readonly err?: readonly string[]; readonly code?: number };

/** Context an operation runs in, at every door. */
export type OperationContext = {
  readonly store: Store;
  /** Host of the agents. A command creates it on first use, since most need the store alone. */
  readonly host: () => Promise<Host>;
  readonly caller: Caller;
  readonly clock: () => Date;
  /** User id of the operator when they talk themselves. */
  readonly operator: string;
  /** Facts of the running service; empty where none runs. */
  readonly service: ServiceFacts;
  /**
   * Set where a model asks, over MCP: its proposals are an agent's, whatever token it has. What it has read is not known here, so
   * they wait for a person, unless it is trusted.
   */
  readonly model?: { readonly trusted: boolean };
  /** Shows a HEAD request: only whether there is an answer counts, and nothing is marked as read. */
  readonly isHead?: boolean;
};

/** Facts a running service knows of itself. */
type ServiceFacts = {
  /** Link that redeems a link code with a click, for channels that have such an address. */
  readonly linkUrl?: (about: {
    readonly agent: string;
    readonly channel: string;
    readonly code: string;
  }) => string | undefined;
  /** Public address of the service: the configured one, else the one it is asked at. */
  readonly address?: () => Promise<string>;
  /** Texts of a demo: what to say to which agent, and what happens then. */
  readonly demo?: {
    readonly tries: readonly { readonly agent: string; readonly say: string; readonly result: string }[];
  };
  /** Command name and options to show in hints. */
  readonly command?: { readonly name: string; readonly options: string };
  /** Settings of agents that live by themselves. */
  readonly automata?: () => Promise<AutomataFacts>;
  /** Turns that were started here and can be stopped here. */
  readonly stoppable?: { readonly stop: (turn: string) => boolean };
};

/** Settings of automata: how often they take turns, in milliseconds, and their chains. */
export type AutomataFacts = {
  readonly everyMs?: ReadonlyMap<string, number> | undefined;
  readonly chains?: ReadonlyMap<string, KnownChain> | undefined;
};

/** Declares an operation, so that TypeScript infers the types of its input and answer. */
export function operation<Input extends Fields, Answer, const Route extends string = never>(
  declared: Operation<Input, Answer, Route>,
): Operation<Input, Answer, Route> {
  return declared;
}

/** Splits a route into its method, its path and the names in it. */
export function routeOf(route: string): { readonly method: string; readonly path: string; readonly names: string[] } {
  const [method = "", path = ""] = route.split(" ");
  return { method, path, names: [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name as string) };
}

/** A word of a command's pattern: typed as it is, or a field that is given without an option. */
export type CommandWord =
  | { readonly literal: string; readonly isOptional: boolean }
  | { readonly field: string; readonly isRest: boolean; readonly isOptional: boolean };

/**
 * Parses `schedules add <input...>` into words. `<id?>` may be left out; `<input...>` takes the rest, and `<input...?>` may be
 * empty. Words behind `--` are typed behind one.
 */
export function commandWords(pattern: string): readonly CommandWord[] {
  return pattern.split(" ").map((word) => {
    const [, field, rest, mark] = /^<([\w-]+)(\.\.\.)?(\?)?>$/.exec(word) ?? [];
    if (field !== undefined) return { field, isRest: rest !== undefined, isOptional: mark !== undefined };
    const isOptional = word.startsWith("[");
    return { literal: isOptional ? word.slice(1, -1) : word, isOptional };
  });
}

/** Formats a command for people: optional words stand in brackets. */
export function shownCommand(command: string): string {
  return command.replaceAll("...", "…").replaceAll(/<([\w-]+…?)\?>/g, "[$1]");
}

/** Selects the fields that a door has. */
export function fieldsAt(fields: Fields, door: "command" | "route"): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([, { more }]) => (more.only ?? door) === door));
}
