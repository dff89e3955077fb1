import { coreSlug } from "../../sources/core-memory/memory-key.ts";
import { text } from "../field.ts";
import { operation } from "../operation.ts";
import { outcome, outcomeLines, propose, wishFields } from "../sections/propose.ts";
import { residentName } from "./core-fields.ts";
import { residentIn } from "./resident.ts";

const { section: _, user: __, ...wish } = wishFields;

/** A rewrite of the section, like any other: guards check it, it is in the history, and is published from there. */
export const setCore = operation({
  name: "core.set",
  says: "Change a core memory",
  command: "core set <content?>",
  examples: [
    ['charter core set "You are Ada."', "change it, by an amendment, and publish it"],
    ["charter core set --content-file core.md", "the same from a file; - is standard input"],
  ],
  notes:
    "A change is an amendment: guards check it, and the history is kept. Each relay that did not take it is named. If another's change came first, both texts are shown.",
  who: "operator",
  input: { ...wish, agent: residentName, content: text("The new text.").option("text").orFile() },
  answer: outcome,
  run: async (context, { agent, content, ...given }) =>
    propose(
      context,
      { ...given, agent: await residentIn(context.store, agent), section: coreSlug },
      { kind: "rewrite", content },
    ),
  lines: (answer) => outcomeLines(answer, {}),
});
