import type { KnownChain } from "../channels/chain/chain-status.ts";
import type { Host } from "../host/host.ts";
import type { Store } from "../store/store.ts";
import type { Caller, Who } from "./caller.ts";
import type { Field, Fields, ValuesOf } from "./field.ts";

/**
 * Something that can be asked of Charter, said once. Doors are derived from it: the HTTP route and its description, the
 * command with its options and help, a tool of the MCP server, the studio's typed client, the tables in docs.
 */
export type Operation<Input extends Fields = Fields, Answer = unknown, Route extends string = string> = {
  /** Subject and verb: `schedules.add`. */
  readonly name: string;
  /** What it does, as one would ask for it: “Schedule a turn”. Help, OpenAPI and refusals say it. */
  readonly says: string;
  /** Further sentences, for all doors. */
  readonly about?: string;
  /** `POST /agents/{agent}/schedules`, under `/api`. Without it there is no route. */
  readonly route?: Route;
  /** `schedules add <input...>`: words, then what is given without an option. `[list]` may be left out. */
  readonly command?: string;
  /** Of the options that every command has, those that this one lacks, or has with other words in its help. */
  readonly usualOptions?: { readonly database?: false; readonly json?: false | string };
  /** Its help is a page of its own; that of its command only names it. */
  readonly hasOwnPage?: true;
  /** Command lines for its help, each with a few words about it where it needs them. */
  readonly examples?: readonly (string | readonly [line: string, about: string])[];
  /** What a command's help says besides: exit codes, what happens later. */
  readonly notes?: string;
  /** It is a tool of the MCP server: its caller is a model. */
  readonly tool?: true;
  readonly who: Who;
  readonly input: Input;
  /** Of a route whose body is one of several shapes: those. Its handler reads it; `input` is the rest. */
  readonly body?: Field<unknown>;
  readonly answer: Field<Answer>;
  /** What its route answers with in place of JSON. */
  readonly sends?: "text/event-stream" | "application/octet-stream";
  /** Its route may also answer with a stream of events. */
  readonly streams?: true;
  /** A body for its route, as one would send it. */
  readonly example?: Readonly<Record<string, unknown>>;
  /** The good statuses, and what each means; the first is the usual one. `200` unless given. */
  readonly statuses?: Readonly<Record<number, string>>;
  /** Refusals besides those that every route has. */
  readonly refuses?: readonly (404 | 409 | 410 | 422 | 502)[];
  /** Over HTTP, at most so many a minute, whoever asks. */
  readonly perMinute?: number;
  /** Its command makes a database where there is none. */
  readonly makesDatabase?: true;
  /** What it does. Where a door has a way of its own (a stream, a file, a terminal), that door names its handler. */
  run?(context: OperationContext, input: ValuesOf<Input>): Promise<Answer>;
  /** The status of an answer, and its body where that is another: a refusal with facts. */
  wire?(answer: Answer): { readonly status: number; readonly body?: unknown };
  /** How a person reads it at a terminal. */
  lines?(answer: Answer, input: ValuesOf<Input>): Output;
};

/** Lines for standard output; or besides them what belongs on standard error, and another exit code than 0. */
export type Output =
  | readonly string[]
  | { readonly out: readonly string[]; readonly err?: readonly string[]; readonly code?: number };

/** What an operation works with, whoever asks. */
export type OperationContext = {
  readonly store: Store;
  /** The agents at work. A command makes it only when it is asked for: most need the store alone. */
  readonly host: () => Promise<Host>;
  readonly caller: Caller;
  readonly clock: () => Date;
  /** Who the operator is when they talk themselves. */
  readonly operator: string;
  /** What the service is besides, where one runs. */
  readonly service: ServiceFacts;
  /** A model asks, over MCP: what it proposes is an agent's, whoever's token it has. */
  readonly isModel?: boolean;
  /** It is only looked whether there is an answer (HEAD): reading counts as nothing. */
  readonly isHead?: boolean;
};

/** What a running service knows of itself. */
type ServiceFacts = {
  /** Where a link code is handed in by a click, for channels that have such an address. */
  readonly linkUrl?: (about: {
    readonly agent: string;
    readonly channel: string;
    readonly code: string;
  }) => string | undefined;
  /** Where others reach it: as was said, else where it is asked. */
  readonly address?: () => Promise<string>;
  /** It is a demo: what to say to which agent, and what happens then. */
  readonly demo?: {
    readonly tries: readonly { readonly agent: string; readonly say: string; readonly result: string }[];
  };
  /** How the command is typed where it runs. */
  readonly command?: { readonly name: string; readonly options: string };
  /** What its settings say of agents that live by themselves. */
  readonly automata?: () => Promise<AutomataFacts>;
  /** The turns that were asked for here. */
  readonly stoppable?: { readonly stop: (turn: string) => boolean };
};

/** What settings say of agents that live by themselves: how often they take turns, in milliseconds, and their chains. */
export type AutomataFacts = {
  readonly everyMs?: ReadonlyMap<string, number> | undefined;
  readonly chains?: ReadonlyMap<string, KnownChain> | undefined;
};

/** Declares an operation; TypeScript finds the types of what is given and answered. */
export function operation<Input extends Fields, Answer, const Route extends string = never>(
  declared: Operation<Input, Answer, Route>,
): Operation<Input, Answer, Route> {
  return declared;
}

/** A route in parts: the method, the path, and the names in it. */
export function routeOf(route: string): { readonly method: string; readonly path: string; readonly names: string[] } {
  const [method = "", path = ""] = route.split(" ");
  return { method, path, names: [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name as string) };
}

/** A word of a command's pattern: one that is typed as it is, or a field that is given without an option. */
export type CommandWord =
  | { readonly literal: string; readonly isOptional: boolean }
  | { readonly field: string; readonly isRest: boolean; readonly isOptional: boolean };

/**
 * `schedules add <input...>` in words. `<id?>` may be left out; `<input...>` takes all that is left, and `<input...?>` may
 * be nothing. What stands behind `--` is typed behind one.
 */
export function commandWords(pattern: string): readonly CommandWord[] {
  return pattern.split(" ").map((word) => {
    const [, field, rest, mark] = /^<([\w-]+)(\.\.\.)?(\?)?>$/.exec(word) ?? [];
    if (field !== undefined) return { field, isRest: rest !== undefined, isOptional: mark !== undefined };
    const isOptional = word.startsWith("[");
    return { literal: isOptional ? word.slice(1, -1) : word, isOptional };
  });
}

/** A command as it is shown: what may be left out stands in brackets. */
export function shownCommand(command: string): string {
  return command.replaceAll("...", "…").replaceAll(/<([\w-]+…?)\?>/g, "[$1]");
}

/** The fields that a door has. */
export function fieldsAt(fields: Fields, door: "command" | "route"): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([, { more }]) => (more.only ?? door) === door));
}
