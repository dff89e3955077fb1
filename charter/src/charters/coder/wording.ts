import type { Part } from "../../prompt/part.ts";
import { present } from "../../prompt/reading.ts";
import type { Source } from "../../prompt/source.ts";
import type { Wording } from "../../sources/disk/wording.ts";

/** Where two ways to word the coding agent's prompt differ: sentences, and the white space around sections. */
type Words = {
  readonly explore: string;
  readonly readFirst: string;
  readonly plainText: string;
  readonly relativePaths: string;
  /** Between sections; what parts one further than that is its own lead and closing. */
  readonly separator: string;
  readonly lead: { readonly lead?: string };
  readonly afterContext: { readonly closing?: string };
};

export const wordings: Readonly<Record<Wording, Words>> = {
  charter: {
    explore: "Prefer grep/find/ls tools over bash for file exploration",
    readFirst: "Use read to examine files before editing",
    plainText: "When summarizing your actions, output plain text directly",
    relativePaths: "When a skill file references a relative path, resolve it against the skill directory.",
    separator: "\n\n",
    lead: {},
    afterContext: {},
  },
  // The date stands on the next line, everything else after a blank one; context files are followed by one more.
  pi: {
    explore: "Prefer grep/find/ls tools over bash for file exploration (faster, respects .gitignore)",
    readFirst: "Use read to examine files before editing. You must use this tool instead of cat or sed.",
    plainText:
      "When summarizing your actions, output plain text directly - do NOT use cat or bash to display what you did",
    relativePaths:
      "When a skill file references a relative path, resolve it against the skill directory (parent of SKILL.md / dirname of the path) and use that absolute path in tool commands.",
    separator: "\n",
    lead: { lead: "\n" },
    afterContext: { closing: "\n" },
  },
};

const nothing: Part = Object.freeze({ text: "", source: "charter" });

/** The `lead` of a section that has no heading: an empty line before its first part. */
export function withLead(source: Source, wording: Wording): Source {
  if (wordings[wording].lead.lead === undefined) return source;
  return async (turn) => {
    const reading = await source(turn);
    return reading.status === "present" ? { ...reading, ...present([nothing, ...reading.parts]) } : reading;
  };
}
