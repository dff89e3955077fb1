import { type AskMode, askModes } from "../../agent/turn/ask-reason.ts";
import { oneLine, preview } from "../../prompt/character.ts";
import { listed } from "../../prompt/problem.ts";
import { badMessage } from "./message-problem.ts";

type ModeWords = { readonly name: string; readonly description: string };

const words: Readonly<Record<AskMode, ModeWords>> = {
  never: {
    name: "Do not ask",
    description: "Tools run unasked. Only calls that text of others may have caused are asked about.",
  },
  writes: { name: "Ask before changes", description: "Commands, changes of files and the like are asked about." },
  always: { name: "Always ask", description: "Every call of a tool is asked about." },
};

/** The modes of a session in version 1 of the protocol: before which calls the person is asked. */
export function sessionModes(current: AskMode) {
  return { currentModeId: current, availableModes: askModes.map((id) => ({ id, ...words[id] })) };
}

const configId = "ask";

/** The same in version 2, where a mode is one of a session's options. */
export function modeOptions(current: AskMode) {
  const options = askModes.map((value) => ({ value, ...words[value] }));
  return [{ configId, name: "Asking", category: "mode", type: "select" as const, currentValue: current, options }];
}

/** The mode that a client wants; a Problem where there is none of that name. */
export function modeNamed(mode: unknown): AskMode {
  const known = askModes.find((one) => one === mode);
  if (known) return known;
  throw badMessage(`There is no mode “${shown(mode)}”.`, `Send ${listed(askModes)}.`);
}

/** The same of an option in version 2. */
export function modeInOption({ configId: option, value }: { readonly configId: string; readonly value?: unknown }) {
  if (option === configId) return modeNamed(value);
  throw badMessage(`There is no option “${shown(option)}”.`, `Send the option “${configId}”.`);
}

function shown(value: unknown): string {
  return preview(oneLine(String(value)), 40);
}
