import type { Charter } from "../../prompt/charter.ts";
import type { Prompt } from "../../prompt/prompt.ts";
import type { Notice } from "../../prompt/reading.ts";
import { commonBytes, everybodysSections, openSentence } from "../../prompt/shared-text.ts";

/** Compares what users of an agent are sent, in one process, and returns what its operator should know of it, each once. */
export type CompareUsers = (
  charter: Charter,
  prompt: Pick<Prompt, "sections" | "text">,
  user: string,
) => readonly Notice[];

/** A section's text as a first user was sent it, and as another was since. */
type Sent = { readonly user: string; readonly text: string; readonly others?: string };

/**
 * Makes the comparison. What moves by itself differs between users too: a text differs by user where the first is sent the very
 * words again after another was sent others.
 */
export function createComparison(): CompareUsers {
  let first: string | undefined;
  let isOpenTold = false;
  const sent = new Map<string, Sent>();
  const told = new Set<string>();
  return (charter, { sections, text: whole }, user) => {
    const notices: Notice[] = [];
    first ??= user;
    if (!isOpenTold && user !== first) {
      isOpenTold = true;
      const message = openSentence(charter);
      if (message !== undefined) notices.push({ code: "shared-text", message });
    }
    const names = everybodysSections(charter);
    for (const { name, start, end } of sections) {
      if (!names.has(name) || told.has(name)) continue;
      const text = whole.slice(start, end).trimEnd();
      const known = sent.get(name);
      if (known !== undefined && (user !== known.user || text === known.text)) {
        if (user !== known.user && text !== known.text) sent.set(name, { ...known, others: text });
        if (user !== known.user || known.others === undefined) continue;
        told.add(name);
        const message = `“${name}” is stable, in the prefix of all users, and is other text for another user, from byte ${commonBytes(text, known.others)} on.`;
        notices.push({ code: "user-in-prefix", section: name, message });
      } else sent.set(name, { user, text });
    }
    return notices;
  };
}
