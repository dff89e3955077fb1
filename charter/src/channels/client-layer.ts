import type { Declaration } from "../agent/declaration.ts";
import { amend } from "../amend/amend.ts";
import { noForgery, sizeLimit, wellFormed } from "../amend/guards/text.ts";
import { noOverride } from "../amend/guards.ts";
import { type Charter, defineCharter, hasSection } from "../prompt/charter.ts";
import { Problem } from "../prompt/problem.ts";
import { fromText } from "../prompt/reading.ts";
import type { Section } from "../prompt/section.ts";

/** A system prompt that a client brought, and the field it was in. “foreign”: words of others are in it. It is quoted, and taints. */
export type ClientPrompt = {
  readonly words: string;
  readonly field: string;
  readonly trust?: "user" | "foreign" | undefined;
};

/** Maximum bytes of the client's text, the same as of a section of a charter without rules of its own. */
const maxBytes = 65_536;

const omissionNote = "(What the client added is left out here: there was no room for it.)";

/** The charter with a client's section, and that section's name. */
type ClientCharter = { readonly charter: Charter; readonly section: string };

/**
 * Extends a declaration with a client's text, in a layer of its own below all others. Nobody amends it: it is the client's for
 * one session. It has a user's trust, unless given, so it cannot pass for a part of the prompt, and `why` names the client. When
 * the prompt is too long, it is trimmed first.
 */
export function createClientLayer({ words, field, trust = "user" }: ClientPrompt, client: string) {
  const reading = fromText(words, { source: `${client}, ${field}` });
  const known = new WeakMap<Charter, ClientCharter>();
  const extended = (base: Charter): ClientCharter => {
    const before = known.get(base);
    if (before) return before;
    const section = freeName(base);
    const made = { section, charter: defineCharter(withSection(base, section, { trust, sources: [() => reading] })) };
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
      // What is quoted gives no orders, whatever it says.
      const orders = trust === "user" ? [noForgery(charter), noOverride(charter)] : [];
      const guards = [wellFormed, ...orders, sizeLimit({ bytes: maxBytes })];
      const operation = { kind: "rewrite", content: words } as const;
      const nothing = { text: "", original: "", revision: 0 };
      // Judges the text as a change by the user, since a live section could not be changed at all.
      const layers = charter.layers.map((layer) =>
        layer.name === section
          ? { ...layer, mutability: { amendableBy: ["user" as const], scope: "agent" as const } }
          : layer,
      );
      const verdict = amend({ ...charter, layers }, nothing, { section, operation, actor: "user" }, { guards });
      if (verdict.verdict === "refused") throw refused(verdict.refusals.map(({ because }) => because));
    },
  };
}

function withSection(base: Charter, section: string, about: Pick<Section, "trust" | "sources">): Charter {
  return {
    ...base,
    layers: [
      ...base.layers,
      {
        name: section,
        owner: "client",
        mutability: "live",
        sections: [{ name: section, heading: "# From the client", ...about }],
      },
    ],
    givesWay: [{ section, from: "end", told: omissionNote }, ...(base.givesWay ?? [])],
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
