/** What a key does among the approvals. */
export type KeyAct = "next" | "previous" | "open" | "approve" | "edit" | "reject";

const acts: Readonly<Record<string, KeyAct>> = {
  j: "next",
  ArrowDown: "next",
  k: "previous",
  ArrowUp: "previous",
  Enter: "open",
  a: "approve",
  e: "edit",
  r: "reject",
};

type Pressed = {
  readonly key: string;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
  readonly altKey: boolean;
  readonly shiftKey: boolean;
};

/** `on`: what has the focus. Whoever types means letters, and a button or link has its own Enter and arrows. */
export function keyAct(pressed: Pressed, on: "card" | "page" | "control" | "text"): KeyAct | undefined {
  if (on === "text" || pressed.ctrlKey || pressed.metaKey || pressed.altKey || pressed.shiftKey) return undefined;
  const act = Object.hasOwn(acts, pressed.key) ? acts[pressed.key] : undefined;
  if (act === "open") return on === "card" ? act : undefined;
  return pressed.key.startsWith("Arrow") && on === "control" ? undefined : act;
}

export const legend: readonly (readonly [keys: string, words: string])[] = [
  ["j k", "move"],
  ["Enter", "open"],
  ["a", "approve (a call or a tool: then Enter)"],
  ["e", "edit"],
  ["r", "reject"],
];
