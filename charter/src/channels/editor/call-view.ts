import { mineAnswer, type Question } from "../../agent/held-question.ts";
import type { ApproveAnswer } from "../../agent/turn-interface.ts";
import type { OwnToolUse, ToolCall } from "../../delivery/model.ts";
import { oneLine, preview, visible } from "../../prompt/character.ts";

const { isAbsolute, resolve } = process.getBuiltinModule("node:path");

/** The kinds of calls, in the protocol's words. */
const callKinds = ["read", "edit", "delete", "move", "search", "execute", "think", "fetch", "other"] as const;
type CallKind = (typeof callKinds)[number];

/** A text before and after; `before` is null where the file is new. `whole`: it is all of the file. */
export type FileDiff = {
  readonly path: string;
  readonly before: string | null;
  readonly after: string;
  readonly whole: boolean;
};

/** A tool call as an editor shows it: a line of text, the places it touches, the change it would make. */
export type CallView = {
  /** Id of the call: the same wherever it is shown, and no other call of the session has it. */
  readonly id: string;
  readonly tool: string;
  readonly title: string;
  readonly kind: CallKind;
  readonly places: readonly { readonly path: string; readonly line?: number }[];
  readonly diff?: FileDiff;
  readonly input: unknown;
};

const kinds: Readonly<Record<string, CallKind>> = {
  read: "read",
  ls: "read",
  edit: "edit",
  write: "edit",
  grep: "search",
  find: "search",
  bash: "execute",
  read_memory: "read",
  read_prompt: "read",
};

/** Describes a call in a session that works in `root`; without a directory, no files are shown. */
export function callView(
  turn: string,
  call: ToolCall,
  root: string | undefined,
  before: string | null = null,
): CallView {
  const input = parsed(call.input);
  const kind = Object.hasOwn(kinds, call.name) ? (kinds[call.name] as CallKind) : "other";
  const path = root === undefined ? undefined : pathIn(input, root);
  const line = path !== undefined && call.name === "read" ? lineIn(input) : undefined;
  const diff = path === undefined ? undefined : diffOf(call.name, path, input, before);
  return {
    id: `${turn}/${call.id}`,
    tool: call.name,
    title: titleOf(call, input),
    kind,
    places: path === undefined ? [] : [{ path, ...(line === undefined ? {} : { line }) }],
    ...(diff === undefined ? {} : { diff }),
    input,
  };
}

/** Describes a use of the receiver's own tool, by what the receiver reports. */
export function ownToolView(turn: string, { id, title, kind, paths }: OwnToolUse): CallView {
  return {
    id: `${turn}/own/${id}`,
    tool: kind,
    title: preview(visible(title), 200),
    kind: callKinds.find((known) => known === kind) ?? "other",
    places: paths.filter((path) => isAbsolute(path)).map((path) => ({ path })),
    input: {},
  };
}

/** Returns the fields of a call that is first shown, for both versions of the protocol. */
export function callFields({ id, tool, title, kind, places, input }: CallView) {
  return {
    toolCallId: id,
    title,
    name: tool,
    kind,
    rawInput: input,
    ...(places.length > 0 ? { locations: [...places] } : {}),
  };
}

/** Returns the fields of a call's result, for both versions of the protocol. */
export function resultFields({ id, places }: CallView, output: string, failed: boolean) {
  return {
    toolCallId: id,
    status: failed ? ("failed" as const) : ("completed" as const),
    ...(places.length > 0 ? { locations: [...places] } : {}),
    ...(output === "" ? {} : { rawOutput: { output } }),
  };
}

/** Adds the line that an edit began at, from its result. */
export function withResult(view: CallView, output: string): CallView {
  const line = view.kind === "edit" ? /^@@ -\d+(?:,\d+)? \+(\d+)/m.exec(output)?.[1] : undefined;
  if (line === undefined) return view;
  return { ...view, places: view.places.map((place) => ({ ...place, line: Number(line) })) };
}

/** Returns the file that a call would replace whole, in a session that works in `root`. */
export function replacedPath(call: ToolCall, root: string | undefined): string | undefined {
  return call.name === "write" && root !== undefined ? pathIn(parsed(call.input), root) : undefined;
}

type Input = Readonly<Record<string, unknown>>;

function diffOf(
  tool: string,
  path: string,
  { oldText, newText, content }: Input,
  before: string | null,
): FileDiff | undefined {
  if (tool === "edit" && typeof oldText === "string" && typeof newText === "string")
    return { path, before: oldText, after: newText, whole: false };
  return tool === "write" && typeof content === "string" ? { path, before, after: content, whole: true } : undefined;
}

function titleOf({ name, input }: ToolCall, { path, command, pattern }: Input): string {
  const about = [command, path, pattern].find((one) => typeof one === "string" && one !== "");
  return preview(visible(oneLine(`${name} ${about ?? (input.trim() === "{}" ? "" : input)}`)).trim(), 200);
}

function pathIn({ path }: Input, root: string): string | undefined {
  return typeof path === "string" && path.trim() !== "" && !path.includes("\0") ? resolve(root, path) : undefined;
}

function lineIn({ offset }: Input): number | undefined {
  return typeof offset === "number" && Number.isSafeInteger(offset) && offset > 0 ? offset : undefined;
}

/** Parses a call's input; a model may write something that is no JSON. */
function parsed(input: string): Input {
  try {
    const value: unknown = JSON.parse(input);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Input) : {};
  } catch {
    return {};
  }
}

/** A question to the person at the editor, before something is done. */
export type PermissionQuestion = {
  readonly title: string;
  /** Details that the person needs for the answer. */
  readonly text: string;
  /** The call it is about; a question about none has a call made for it. */
  readonly call: CallView;
  /** The tool that may be allowed for the rest of the session. */
  readonly mayAllow?: string;
  /** Says that it is asked because of a picture that the person sent themselves. */
  readonly ofPicture?: true;
};

type Answers = Pick<PermissionQuestion, "mayAllow" | "ofPicture">;

type PermissionOption = {
  readonly optionId: "allow" | "session" | "mine" | "reject";
  readonly name: string;
  readonly kind: "allow_once" | "allow_always" | "reject_once";
};

/**
 * Writes a question for an editor. Editors render Markdown, which hides text (a comment, a link's target), so the details are a
 * block of code. A changed file is shown as a diff instead, unless parts of it are invisible.
 */
export function questionText({ sentence, details }: Question, { diff }: Pick<CallView, "diff">): string {
  if (details.length === 0 || (diff && visible(diff.after) === diff.after)) return sentence;
  const runs = Array.from(details.join("\n").matchAll(/`+/g), ([run]) => run.length);
  const fence = "`".repeat(Math.max(2, ...runs) + 1);
  return [sentence, "", fence, ...details, fence].join("\n");
}

/** Lists the options of a question. Permanent decisions are left to the charter and `charter trust`. */
export function permissionOptions({ mayAllow, ofPicture }: Answers): PermissionOption[] {
  const session: PermissionOption[] =
    mayAllow === undefined
      ? []
      : [{ optionId: "session", name: `Allow ${mayAllow} in this session`, kind: "allow_always" }];
  return [
    { optionId: "allow", name: "Allow once", kind: "allow_once" },
    ...session,
    ...(ofPicture ? [{ optionId: mineAnswer.word, name: mineAnswer.says, kind: "allow_always" } as const] : []),
    { optionId: "reject", name: "Reject", kind: "reject_once" },
  ];
}

/** Reads the answer; undefined where nobody answered. An unknown option is no yes. */
export function permissionAnswer(outcome: unknown, { mayAllow, ofPicture }: Answers): ApproveAnswer {
  const { outcome: kind, optionId } = Object(outcome) as { outcome?: unknown; optionId?: unknown };
  if (kind !== "selected") return undefined;
  if (optionId === "session" && mayAllow !== undefined) return "session";
  if (optionId === mineAnswer.word && ofPicture) return "mine";
  return optionId === "allow";
}
