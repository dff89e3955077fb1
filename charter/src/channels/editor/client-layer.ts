import type { Declaration } from "../../agent/declaration.ts";
import { amend } from "../../amend/amend.ts";
import { noForgery } from "../../amend/guards/no-forgery.ts";
import { noOverride } from "../../amend/guards/no-override.ts";
import { sizeLimit } from "../../amend/guards/size-limit.ts";
import { wellFormed } from "../../amend/guards/well-formed.ts";
import { type Charter, defineCharter, hasSection } from "../../prompt/charter.ts";
import { Problem } from "../../prompt/problem.ts";
import { fromText } from "../../prompt/reading.ts";
import type { ClientPrompt } from "./client-prompt.ts";

/** As many bytes as a section of a charter without rules of its own may have. */
const maxBytes = 65_536;

const told = "(What the client added is left out here: there was no room for it.)";

/** The charter and the name of the section that a client's words are in. */
type ClientCharter = { readonly charter: Charter; readonly section: string };

/**
 * A declaration with what a client brought, in a layer of its own below all others. Nobody amends it: it is the client's
 * for one session. It is read as a user's words are, so it cannot pass for a part of the prompt, and `why` names the
 * client. When the prompt is too long, it gives way first.
 */
export function createClientLayer({ words, field }: ClientPrompt, client: string) {
  const reading = fromText(words, { source: `${client}, ${field}` });
  const known = new WeakMap<Charter, ClientCharter>();
  const extended = (base: Charter): ClientCharter => {
    const before = known.get(base);
    if (before) return before;
    const section = freeName(base);
    const made = { section, charter: defineCharter(withSection(base, section, () => reading)) };
    known.set(base, made);
    return made;
  };
  const extend = (declaration: Declaration): Declaration => {
    const { withoutTools } = declaration;
    return {
      ...declaration,
      charter: extended(declaration.charter).charter,
      ...(withoutTools ? { withoutTools: () => extend(withoutTools()) } : {}),
    };
  };
  return {
    extend,
    /** Throws a Problem that names every objection. */
    check: ({ charter: base }: Pick<Declaration, "charter">): void => {
      const { charter, section } = extended(base);
      const guards = [wellFormed, noForgery(charter), noOverride(charter), sizeLimit({ bytes: maxBytes })];
      const operation = { kind: "rewrite", content: words } as const;
      const nothing = { text: "", original: "", revision: 0 };
      // Nobody amends what a client says; it is judged as if its user did.
      const layers = charter.layers.map((layer) =>
        layer.name === section ? { ...layer, mutability: { amendableBy: ["user" as const] } } : layer,
      );
      const verdict = amend({ ...charter, layers }, nothing, { section, operation, actor: "user" }, { guards });
      if (verdict.verdict === "refused") throw refused(verdict.refusals.map(({ because }) => because));
    },
  };
}

function withSection(base: Charter, section: string, source: () => ReturnType<typeof fromText>): Charter {
  return {
    ...base,
    layers: [
      ...base.layers,
      {
        name: section,
        owner: "client",
        mutability: "live",
        sections: [{ name: section, heading: "# From the client", trust: "user", sources: [source] }],
      },
    ],
    givesWay: [{ section, from: "end", told }, ...(base.givesWay ?? [])],
  };
}

function freeName(charter: Charter): string {
  const isTaken = (name: string) => hasSection(charter, name) || charter.layers.some((layer) => layer.name === name);
  for (let number = 1; ; number++) {
    const name = number === 1 ? "client" : `client-${number}`;
    if (!isTaken(name)) return name;
  }
}

function refused(reasons: readonly string[]): Problem {
  return new Problem(
    "client-prompt-refused",
    `The system prompt that the client brought is refused: ${reasons.join(" ")}`,
    "Fix its words; they are held to what a user's are.",
  );
}
