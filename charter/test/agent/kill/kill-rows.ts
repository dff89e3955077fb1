import type { Death } from "./kill-turns.ts";

/** A moment in which a process dies, and what another finds then. */
export type Row = [
  when: string,
  die: Death | undefined,
  found: { state: string; recorded: string; happened: string; amended: boolean },
];

const at = (moment: string, count = 1): Death => ({ moment, count });
const nothing = { state: "interrupted", recorded: "", happened: "", amended: false };
const intended = { ...nothing, recorded: "write? amend?" };
const wrote = { ...intended, happened: "write" };
const known = { ...wrote, recorded: "write amend?" };
const halfway = { state: "interrupted", recorded: "write amend", happened: "write amend", amended: true };
const all = { ...halfway, recorded: "write amend again", happened: "write amend again" };

/** The moments of a turn that calls tools and amends its prompt. */
export const rows: readonly Row[] = [
  ["never", undefined, { ...all, state: "answered" }],
  ["before it reads anything", at("turn-start"), nothing],
  ["before its model is asked", at("step-start"), nothing],
  ["while its model speaks", at("draft", 2), nothing],
  ["when its model has answered", at("came"), nothing],
  ["while the intents are written", at("commit came"), nothing],
  ["before its tool runs", at("tool-call"), intended],
  ["inside its tool", at("tool"), intended],
  ["when its tool took effect", at("effect"), wrote],
  ["while the result is written", at("commit came", 2), wrote],
  ["when the result is known", at("tool-result"), known],
  ["while its amendment is written", at("commit propose"), known],
  ["when its amendment is made", at("amended"), { ...known, amended: true }],
  ["between two steps", at("tool-result", 2), halfway],
  ["before its answer is kept", at("close"), all],
  ["while its answer is written", at("commit close"), all],
  ["when its answer is kept", at("committed close"), { ...all, state: "answered" }],
];

const pages = (count: number) => Array.from({ length: count }, (_, page) => `page${page + 1}`).join(" ");
const read = (recorded: string, happened = recorded) => ({ state: "interrupted", recorded, happened, amended: false });

/** The moments of a turn that has to be summed up while it runs, and of learning what the model takes. */
export const longRows: readonly Row[] = [
  ["never", undefined, { ...read(pages(8)), state: "answered" }],
  ["before the prefix is folded", at("baseline"), nothing],
  ["while the folded prefix is written", at("commit baseline"), nothing],
  ["when the folded prefix is written", at("committed baseline"), nothing],
  ["when its request was refused as too long", at("refused"), read(pages(4))],
  ["before the window is kept", at("learn"), read(pages(4))],
  ["while the window is written", at("commit learn"), read(pages(4))],
  ["when the window is kept", at("committed learn"), read(pages(4))],
  ["while its summary is asked for", at("summary-asked"), read(pages(4))],
  ["when its summary has come", at("summary-came"), read(pages(4))],
  ["when it was summed up", at("compacted"), read(pages(4))],
  ["before the step that begins with a summary is kept", at("baseline", 2), read(pages(4))],
  ["while the step that begins with a summary is written", at("commit baseline", 2), read(pages(4))],
  ["when the step that begins with a summary is kept", at("committed baseline", 2), read(pages(4))],
  ["while it is summed up again", at("summary-asked", 2), read(pages(7))],
  ["before its second summary is kept", at("baseline", 3), read(pages(7))],
  ["when its second summary is kept", at("committed baseline", 3), read(pages(7))],
  ["when a page was read after a summary", at("tool-result", 6), read(pages(6))],
];
