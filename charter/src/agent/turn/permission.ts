import type { PermissionRequest } from "../../delivery/model.ts";
import { countCharacters, preview } from "../../prompt/character.ts";
import { sha256 } from "../../store/texts/packing.ts";
import type { HeldCall, NewHeldCall } from "../../store/turns/held-calls.ts";
import { askPerson } from "./call.ts";
import type { AgentDeps, TurnState } from "./turn-state.ts";

/** The prefix of the “tool” under which a request for permission is stored among held calls; the tool's kind follows it. */
const toolPrefix = "acp:";

export function isPermission({ tool }: Pick<HeldCall, "tool">): boolean {
  return tool.startsWith(toolPrefix);
}

/** The permission that is asked for, as it is stored and shown to whoever decides. */
type AskedPermission = Pick<PermissionRequest, "kind" | "title" | "paths" | "input">;

/**
 * Decides whether a receiver may use a tool of its own now. Held means no for now: the request is stored with its arguments, and
 * once a person has approved it, the same request is allowed once, in the next turn.
 */
export async function decidePermission(
  deps: AgentDeps,
  running: TurnState,
  asked: PermissionRequest,
): Promise<"allow" | "deny"> {
  const { who, progress } = running;
  const report = (answer: "allow" | "deny", held?: string) => {
    who.emit({ kind: "permission", asked, answer, ...(held === undefined ? {} : { held }) });
    return answer;
  };
  const agent = await deps.store.agents.find(deps.name);
  if (!agent || agent.frozen === "agent") return report("deny");
  // Approving does not override a policy: a person who may approve is not always one who may say what is denied.
  const allowances = asked.policy === "deny" ? undefined : progress.allowances.get(permissionKey(asked));
  const approved = allowances?.shift();
  if (approved !== undefined) {
    await deps.store.calls.finish(approved, { status: "done", result: "Allowed once." });
    return report("allow", approved);
  }
  if (asked.policy !== "hold") return report(asked.policy);
  if (deps.whenTainted === "refuse") return report("deny");
  const { kind, title, paths, input } = asked;
  const reason = "You are asked because the tool is the agent's own, and what it does is not seen here.";
  const kept: AskedPermission = { kind, title, paths, input };
  if (!canBeShown(kept) || progress.permissionsHeld >= maxHeldRequests) return report("deny");
  progress.permissionsHeld += 1;
  const about = { turn: who.id, step: progress.step, tool: `${toolPrefix}${kind}`, input: kept, reason };
  const held = await holdOnce(deps, running, about);
  // Permission is never given for a whole session, since what the receiver's own tools read is not known here.
  const question = { id: held.id, tool: about.tool, input: kept, reason };
  const decision = await askPerson(deps, running, question);
  if (decision === undefined) {
    const call = { id: asked.id, name: about.tool, input: JSON.stringify(kept) };
    who.emit({ kind: "tool-held", call, held: held.id });
    return report("deny", held.id);
  }
  const by = who.scope.user ?? "operator";
  if (!decision) {
    await deps.store.calls.reject(held.id, by);
    return report("deny", held.id);
  }
  await deps.store.calls.take(held.id, by);
  await deps.store.calls.finish(held.id, { status: "done", result: "Allowed once." });
  return report("allow", held.id);
}

/** Maximum number of requests of one turn that are held; nobody would look through more. */
const maxHeldRequests = 100;

/** Holds a request once. An id is the receiver's choice and names nothing: the same request waits once, other ones beside it. */
async function holdOnce(
  { store }: AgentDeps,
  { who }: TurnState,
  about: Omit<NewHeldCall, "call" | "input"> & { readonly input: AskedPermission },
): Promise<HeldCall> {
  const digest = sha256(permissionKey(about.input));
  for (let time = 1; ; time++) {
    const held = await store.calls.hold(who.scope, { ...about, call: `${digest}-${time}` });
    if (held.status === "waiting") return held;
  }
}

const maxRequestChars = 65_536;
const maxTitleChars = 300;

/**
 * Tells whether a request can be shown whole to the person who decides: arguments of a bearable length, or a title that fits one
 * line.
 */
function canBeShown(asked: AskedPermission): boolean {
  if (JSON.stringify(asked).length > maxRequestChars) return false;
  return !isEmpty(asked.input) || countCharacters(asked.title) <= maxTitleChars;
}

/** Allows the next request that is the same, once, and returns the line about it for the model. */
export function allow({ progress }: Pick<TurnState, "progress">, { id, input }: HeldCall): string {
  const asked = input as AskedPermission;
  const key = permissionKey(asked);
  progress.allowances.set(key, [...(progress.allowances.get(key) ?? []), id]);
  const line = preview(`${asked.kind}: ${asked.title}`, maxTitleChars + 50);
  return `- ${line} ${JSON.stringify(asked.input ?? null)}`;
}

/** Ends the permissions of this turn. Those of a failed turn are left to the next. */
export async function settleAllowances(
  { store: { calls } }: Pick<AgentDeps, "store">,
  { progress }: Pick<TurnState, "progress">,
  answered: boolean,
): Promise<void> {
  const left = [...progress.allowances.values()].flat();
  progress.allowances.clear();
  const result = "The agent did not ask for it again in the next turn.";
  for (const id of left)
    await (answered ? calls.finish(id, { status: "failed", result }) : calls.release(id)).catch(() => {});
}

/** Identifies a request by kind and arguments; without arguments, by kind, title and paths. */
function permissionKey({ kind, title, paths, input }: AskedPermission): string {
  return JSON.stringify(isEmpty(input) ? [kind, title, paths] : [kind, inOrder(input)]);
}

function isEmpty(input: unknown): boolean {
  return input === undefined || input === null || JSON.stringify(input) === "{}";
}

/** Sorts names, so that their order does not matter. */
function inOrder(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inOrder);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1));
  return entries.map(([name, one]) => [name, inOrder(one)]);
}

/** The fields of a call that say what is asked for. */
type AskedTool = { readonly tool: string; readonly input?: unknown };

/** Returns the request for permission that a held call is; undefined for a call of one of our own tools. */
export function permissionOf({ tool, input }: AskedTool): AskedPermission | undefined {
  if (!isPermission({ tool })) return undefined;
  const asked = (typeof input === "object" && input !== null ? input : {}) as Readonly<Record<string, unknown>>;
  const { kind, title, paths } = asked;
  return {
    kind: typeof kind === "string" ? kind : "other",
    title: typeof title === "string" ? title : "",
    paths: Array.isArray(paths) ? paths.filter((path) => typeof path === "string") : [],
    input: asked.input,
  };
}

const verbs: Readonly<Record<string, string>> = {
  read: "read",
  edit: "edit",
  delete: "delete",
  move: "move",
  search: "search",
  execute: "run",
  think: "think",
  fetch: "fetch",
  switch_mode: "switch its mode",
};

/** Returns a known kind, or “other”: a kind is the receiver's own word, and could hold a whole message. */
export function knownKind(kind: string): string {
  return Object.hasOwn(verbs, kind) ? kind : "other";
}

/**
 * Says in words what a tool is used for: “run: make”. The title is put on one line, so that no control sign in it reaches a
 * terminal.
 */
export function useText({ kind, title }: Pick<AskedPermission, "kind" | "title">): string {
  const verb = Object.hasOwn(verbs, kind) ? verbs[kind] : "use a tool of its own";
  const line = preview(title.toWellFormed().replace(/\p{Cc}+/gu, " "), 300);
  return `${verb}${line === "" ? "" : `: ${line}`}`;
}

/** Says what is asked for, to go on after the name of the agent: “asks to run: make”. */
export function askedText(asked: Pick<AskedPermission, "kind" | "title">): string {
  return `asks to ${useText(asked)}`;
}

/** Says what is asked for when a held call is a request for permission; undefined for a call of one of our own tools. */
export function askedOf(held: AskedTool): string | undefined {
  const asked = permissionOf(held);
  return asked && askedText(asked);
}

/** The meaning of an approval. */
export const allowedOnce = "allowed once, in the next turn, if the agent asks for the same again";
