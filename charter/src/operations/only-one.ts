import { listed, Problem } from "../prompt/problem.ts";
import type { Store } from "../store/store.ts";
import type { Operation } from "./operation.ts";

/** Returns the named agent, or the only one there is. */
export async function onlyAgent(store: Store, agent?: string): Promise<string> {
  if (agent !== undefined) return (await store.agents.get(agent)).name;
  const names = (await store.agents.list()).map(({ name }) => name);
  const [only, ...others] = names;
  if (only === undefined)
    throw new Problem(
      "unknown-agent",
      "There is no agent yet.",
      "Make one: charter agents add ada --charter assistant.",
    );
  if (others.length === 0) return only;
  throw new Problem("usage", `With which agent? There are ${fewOf(names)}.`, "Say --agent and its name.");
}

/** Returns the only user an agent deals with; undefined where it has none. */
export async function onlyUser(store: Store, agent: string, orNobody = false): Promise<string | undefined> {
  const [only, ...others] = await store.users.ofAgent(agent, { limit: mostNamed + 1 });
  if (others.length === 0) return only;
  const users = fewOf([only as string, ...others], await store.users.countOfAgent(agent));
  throw new Problem(
    "needs-user",
    `Say which user is meant: “${agent}” has ${users}.`,
    orNobody ? "Say --user and an id, or --no-user: nobody's, as in a job." : "Say --user and an id.",
  );
}

const mostNamed = 5;

function fewOf(names: readonly string[], count = names.length): string {
  const more = count - mostNamed;
  return more > 0 ? `${listed(names.slice(0, mostNamed))} and ${more} more` : listed(names);
}

type Input = Readonly<Record<string, unknown>>;

/** A command's operation, and what was typed of its input. */
export type TypedInput = {
  readonly operation: Operation;
  readonly input: Input;
  readonly denied: readonly string[];
};

/**
 * Fills in what a command leaves out and the database has only one of: its agent, and with that its user, unless facts or a
 * counterpart are given, which say who it is.
 */
export async function withOnlyOnes(store: Store, { operation, input, denied }: TypedInput): Promise<Input> {
  const isOpen = (name: string) =>
    operation.input[name]?.more.isOnlyOne === true && input[name] === undefined && !denied.includes(name);
  const withAgent = isOpen("agent") ? { ...input, agent: await onlyAgent(store) } : input;
  if (!isOpen("user") || [input.counterpart, input.input].some((given) => given !== undefined)) return withAgent;
  const user = await onlyUser(store, withAgent.agent as string, operation.input.user?.more.isNegatable);
  return user === undefined ? withAgent : { ...withAgent, user };
}

/** Fills in the only user where a section turned out to be each user's own, and none was named; throws any other error again. */
export async function withNeededUser(store: Store, { operation, input }: TypedInput, error: unknown): Promise<Input> {
  const isNeeded = error instanceof Problem && error.code === "needs-user" && "user" in operation.input;
  if (!isNeeded || input.user !== undefined) throw error;
  const agent = input.agent as string;
  const user = await onlyUser(store, agent);
  if (user !== undefined) return { ...input, user };
  throw new Problem(error.code, error.message, `“${agent}” has none yet. Name one: --user bo.`);
}
