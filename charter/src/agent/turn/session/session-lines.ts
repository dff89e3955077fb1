import { oneLine } from "../../../prompt/character.ts";
import type { Notice } from "../../../prompt/notice.ts";
import { counted, grouped } from "../../../prompt/problem.ts";
import type { AgentEvent } from "../../agent-event.ts";
import type { LiveSession } from "../live-session.ts";

/** A line that says by which channel a message came, where one session has them all. */
const line = /^[ \t]*\(by [^()\r\n]*\)[ \t]*$/gim;

/**
 * The user's message, behind the line that says by which channel it came. Only the first line says so: one of the same
 * form in somebody's words is put in quotes.
 */
export function saidBy(channel: string | undefined, input: string): string {
  if (channel === undefined || channel === "") return input;
  return `(by ${oneLine(channel).replace(/[()]/g, "")})\n${input.replace(line, (found) => `“${found.trim()}”`)}`;
}

/**
 * Told with the first turn of a session that was opened although there was one before it. Without a baseline nothing was
 * asked in it yet: all there is was sent into it by schedules.
 */
export function sessionNotice({ because, stretches, baseline }: LiveSession): Notice | undefined {
  if (because === null || (baseline !== null && stretches.some(({ messages }) => messages.length > 0)))
    return undefined;
  return { code: "session-new", message: because === "idle" ? idleWords : newWords };
}

/** That a history was summed up is told as it happens; what came of the turn says so once, however often it was. */
export function noteCompaction(event: AgentEvent, notices: Notice[]): void {
  if (event.kind !== "compacted" || notices.some(({ code }) => code === "compacted")) return;
  const { turns } = event;
  const what = turns === 1 ? "What was said before was" : `What was said before, ${turns} turns of it, was`;
  notices.push({ code: "compacted", message: compactionText(event, what) });
}

const newWords = "This is a new session: what was said before is not in it.";
const idleWords = "The session before was idle for too long. This is a new one: what was said before is not in it.";

/** What became of a history that was too long, in a sentence; `what` it was that was summed up. */
export function compactionText(
  { turns, before, after, leftOut }: Extract<AgentEvent, { kind: "compacted" }>,
  what = counted(turns, "turn was", "turns were"),
): string {
  const sizes = `${counted(before, "token")} of history became ${grouped(after)}.`;
  if (!leftOut) return `${what} summarised: ${sizes}`;
  return `${what} left out, since the model gave no summary: ${sizes} The agent can still read what was left out.`;
}
