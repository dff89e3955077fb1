import { preview } from "../../../prompt/character.ts";
import { type AskedPermission, isPermission } from "./permission.ts";

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
