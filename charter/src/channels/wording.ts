export const newSessionWords = "A new conversation begins. What was said before is not in it.";

const toldNotices = new Set(["session-new", "compacted", "own-words"]);

/** Joins the notices before an answer: a new session, a summarised history, a note kept as the user's words. */
export function noticeWords(notices: readonly { readonly code: string; readonly message: string }[]): string {
  const shown = notices.filter(({ code }) => toldNotices.has(code));
  return shown.map(({ message }) => message).join("\n");
}

export const stoppedWords = "I did not get to an answer: something kept going wrong. Please send it again.";

/** Tells a user about a failed turn: what they can do about it, and nothing about its technical cause. */
export function failedWords(code: string): string {
  return (
    failures[code] ??
    "Something went wrong and I could not answer. Please try again; if it stays so, tell whoever runs me."
  );
}

const later = "The model behind me cannot be reached right now. I keep what you wrote: ask me again in a while.";
const again = "I was interrupted. I keep what you wrote: ask me again.";
const tooMuch = "That was too much at once. Please ask for less.";

const failures: Readonly<Record<string, string>> = {
  "agent-frozen": "I have been paused by whoever runs me. Please try again later.",
  "input-handled": "Noted.",
  "not-served":
    "I do not work in chats: whoever runs me uses me on their own machine only. Ask them if I should be here.",
  "model-busy": later,
  "model-failed": later,
  "model-cut": later,
  "model-unreachable": later,
  "model-rejected": "The model behind me refused this. If it happens again, tell whoever runs me.",
  "model-aborted": again,
  "turn-over": again,
  "turn-interrupted": again,
  "turn-time": "That took longer than I may take. Please ask for less at once.",
  "turn-steps": tooMuch,
  "request-too-long": tooMuch,
  "out-of-cycles": "I have used up what I may spend. Please try again later.",
  "spending-limit": "The limit on spending is reached for now. Please try again later.",
  "malformed-text": "I cannot read that: there is a broken character in it.",
};
