import type { PermissionRequest } from "../../delivery/model.ts";
import { countCharacters, preview } from "../../prompt/character.ts";
import { sha256 } from "../../store/texts/packing.ts";
import type { HeldCall, NewHeldCall } from "../../store/turns/held-calls.ts";
import { askPerson } from "./call.ts";
import type { AgentDeps, TurnState } from "./turn-state.ts";

/** A request for permission is kept among held calls as a call of this “tool”, with the tool's kind behind it. */
const toolPrefix = "acp:";

export function isPermission({ tool }: Pick<HeldCall, "tool">): boolean {
  return tool.startsWith(toolPrefix);
}

/** What is asked for, as it is kept and shown to whoever decides. */
type AskedPermission = Pick<PermissionRequest, "kind" | "title" | "paths" | "input">;

/**
 * Whether a receiver may use a tool of its own now. Held is “no” for now: the request is kept with its arguments, and
 * once a person has approved it, the same request is allowed once, in the next turn.
 */
export async function decidePermission(
  deps: AgentDeps,
  running: TurnState,
  asked: PermissionRequest,
): Promise<"allow" | "deny"> {
  const { who, progress } = running;
  const tell = (answer: "allow" | "deny", held?: string) => {
    who.emit({ kind: "permission", asked, answer, ...(held === undefined ? {} : { held }) });
    return answer;
  };
  const agent = await deps.store.agents.find(deps.name);
  if (!agent || agent.frozen === "agent") return tell("deny");
  // A person who may approve is not always one who may say what is denied.
  const allowances = asked.policy === "deny" ? undefined : progress.allowances.get(permissionKey(asked));
  const approved = allowances?.shift();
  if (approved !== undefined) {
    await deps.store.calls.finish(approved, { status: "done", result: "Allowed once." });
    return tell("allow", approved);
  }
  if (asked.policy !== "hold") return tell(asked.policy);
  if (deps.whenTainted === "refuse") return tell("deny");
  const { kind, title, paths, input } = asked;
  const reason = "You are asked because the tool is the agent's own, and what it does is not seen here.";
  const kept: AskedPermission = { kind, title, paths, input };
  if (!canBeShown(kept) || progress.permissionsHeld >= maxHeld) return tell("deny");
  progress.permissionsHeld += 1;
  const about = { turn: who.id, step: progress.step, tool: `${toolPrefix}${kind}`, input: kept, reason };
  const held = await holdOnce(deps, running, about);
  // What its own tools read is not known here, so nothing of them is allowed for a whole session.
  const question = { id: held.id, tool: about.tool, input: kept, reason };
  const decision = await askPerson(deps, running, question);
  if (decision === undefined) {
    const call = { id: asked.id, name: about.tool, input: JSON.stringify(kept) };
    who.emit({ kind: "tool-held", call, held: held.id });
    return tell("deny", held.id);
  }
  const by = who.scope.user ?? "operator";
  if (!decision) {
    await deps.store.calls.reject(held.id, by);
    return tell("deny", held.id);
  }
  await deps.store.calls.take(held.id, by);
  await deps.store.calls.finish(held.id, { status: "done", result: "Allowed once." });
  return tell("allow", held.id);
}

/** So many requests of one turn are held; nobody would look through more. */
const maxHeld = 100;

/** An id is the receiver's to choose, and names nothing: the same request waits once, and another one beside it. */
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

const maxKept = 65_536;
const maxTitle = 300;

/** Whoever decides sees all of what is asked: arguments of a bearable length, or a title that stands on one line. */
function canBeShown(asked: AskedPermission): boolean {
  if (JSON.stringify(asked).length > maxKept) return false;
  return !isEmpty(asked.input) || countCharacters(asked.title) <= maxTitle;
}

/** What a person has allowed: the next request that is the same may go ahead, once. Says how that is told. */
export function allow({ progress }: Pick<TurnState, "progress">, { id, input }: HeldCall): string {
  const asked = input as AskedPermission;
  const key = permissionKey(asked);
  progress.allowances.set(key, [...(progress.allowances.get(key) ?? []), id]);
  const line = preview(`${asked.kind}: ${asked.title}`, maxTitle + 50);
  return `- ${line} ${JSON.stringify(asked.input ?? null)}`;
}

/** What was allowed holds for one turn. Of a turn that failed, it is left to the next. */
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

/** Two requests are the same if the kind and the arguments are; without arguments, the title and the paths. */
function permissionKey({ kind, title, paths, input }: AskedPermission): string {
  return JSON.stringify(isEmpty(input) ? [kind, title, paths] : [kind, inOrder(input)]);
}

function isEmpty(input: unknown): boolean {
  return input === undefined || input === null || JSON.stringify(input) === "{}";
}

/** The same names and values, in whatever order they came. */
function inOrder(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inOrder);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1));
  return entries.map(([name, one]) => [name, inOrder(one)]);
}

/** A call, as far as it says what is asked for. */
type AskedTool = { readonly tool: string; readonly input?: unknown };

/** The request for permission that a held call is; undefined for a call of one of our own tools. */
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

/** A kind that is known, or “other”: a kind is the receiver's own word, and may say as much as a title. */
export function knownKind(kind: string): string {
  return Object.hasOwn(verbs, kind) ? kind : "other";
}

/** What a tool is used for, in words: “run: make”. Nobody's words draw on a terminal: a title is one line. */
export function useText({ kind, title }: Pick<AskedPermission, "kind" | "title">): string {
  const verb = Object.hasOwn(verbs, kind) ? verbs[kind] : "use a tool of its own";
  const line = preview(title.toWellFormed().replace(/\p{Cc}+/gu, " "), 300);
  return `${verb}${line === "" ? "" : `: ${line}`}`;
}

/** What is asked for, to go on after who asks: “asks to run: make”. */
export function askedText(asked: Pick<AskedPermission, "kind" | "title">): string {
  return `asks to ${useText(asked)}`;
}

/** What is asked for when a held call is a request for permission. Nothing, when it is a call of one of our own tools. */
export function askedOf(held: AskedTool): string | undefined {
  const asked = permissionOf(held);
  return asked && askedText(asked);
}

/** What an approval of it means. */
export const allowedOnce = "allowed once, in the next turn, if the agent asks for the same again";
