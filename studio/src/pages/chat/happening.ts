import type { Refusal } from "../../app/page.tsx";
import type { Assembled } from "../../assembly/assembled.ts";
import type { OwnTool } from "../../kit/own-tool.tsx";

/** Something of a turn besides its answer, in the order it came. */
export type Happening =
  | ToolHappening
  /** Words that came before a tool was called, and were no answer. */
  | { readonly kind: "aside"; readonly text: string }
  | { readonly kind: "notice"; readonly code: string; readonly message: string }
  | AmendmentHappening
  | { readonly kind: "refusal"; readonly section: string; readonly refusals: readonly Refusal[] }
  | HeldHappening
  /** A tool of its own that the agent behind the model used. */
  | OwnToolHappening
  /** What that agent asked leave for, and was told at once. */
  | { readonly kind: "permission"; readonly asks: string; readonly answer: "allow" | "deny" };

type OwnToolHappening = { readonly kind: "own-tool"; readonly id: string; readonly tool: OwnTool };

export type ToolHappening = {
  readonly kind: "tool";
  readonly name: string;
  readonly input: unknown;
  readonly output?: unknown;
  /** A call that was refused, or waits for a person, came to no result; it did not fail. */
  readonly state: "running" | "done" | "failed" | "refused" | "waits";
};

/** `diff` is a unified one; `says` is the quote. What is not known is left out. */
export type AmendmentHappening = {
  readonly kind: "amendment";
  readonly section: string;
  readonly revision?: number;
  readonly diff?: string;
  readonly says?: string;
};

/** A proposal or a call that a person has to approve. */
type HeldHappening = {
  readonly kind: "held";
  readonly held: string;
  readonly what: "proposal" | "call";
  /** The section, the tool, or what is asked leave for. */
  readonly name: string;
};

/** What a tool that proposes answers with: it is the verdict, as the model read it. */
export function verdictIn(output: unknown): Happening | undefined {
  if (typeof output !== "object" || output === null) return undefined;
  const { verdict, section, revision, diff, refusals, held, quote } = output as Readonly<Record<string, unknown>>;
  if (typeof section !== "string") return undefined;
  if (verdict === "accepted")
    return {
      kind: "amendment",
      section,
      ...(typeof revision === "number" ? { revision } : {}),
      ...(typeof diff === "string" ? { diff } : {}),
      ...saysOf(quote),
    };
  if (verdict === "unchanged")
    return {
      kind: "notice",
      code: "unchanged",
      message: `“${section}” says exactly this already: nothing was changed.`,
    };
  if (verdict === "refused") return { kind: "refusal", section, refusals: refusalsIn(refusals) };
  if (verdict === "held" && typeof held === "string") return { kind: "held", held, what: "proposal", name: section };
  return undefined;
}

export function refusalsIn(value: unknown): readonly Refusal[] {
  return Array.isArray(value) ? (value as Refusal[]).filter((one) => typeof one?.guard === "string") : [];
}

export function saysOf(quote: unknown): { readonly says?: string } {
  const says = (quote as { readonly says?: unknown } | null | undefined)?.says;
  return typeof says === "string" ? { says } : {};
}

export type Landed = {
  readonly name: string;
  readonly revision: number | null;
  /** Tokens more, or fewer; of an update, those it has. */
  readonly tokens: number;
  /** It is told in the history until the prefix is rebuilt. */
  readonly isUpdate?: true;
};

type Sections = Pick<Assembled["sections"][number], "name" | "mutability" | "revision" | "tokens"> & {
  readonly isUpdate?: boolean;
};

/** What changed from one prompt to the next by somebody's hand. What is generated per turn is not news. */
export function landed(before: readonly Sections[], after: readonly Sections[]): readonly Landed[] {
  // Of a section that is told anew in the history, the last words count.
  const [was, is] = [before, after].map((all) => new Map(all.map((section) => [section.name, section]))) as [
    Map<string, Sections>,
    Map<string, Sections>,
  ];
  const changed = [...is.values()]
    .filter(({ name, mutability, revision }) => {
      const old = was.get(name);
      return mutability === "amendable" && (old === undefined || old.revision !== revision);
    })
    .map(({ name, revision, tokens, isUpdate }): Landed => {
      if (isUpdate) return { name, revision, tokens, isUpdate };
      return { name, revision, tokens: tokens - (was.get(name)?.tokens ?? 0) };
    });
  const gone = [...was.values()]
    .filter(({ name, mutability }) => mutability === "amendable" && !is.has(name))
    .map(({ name, tokens }) => ({ name, revision: null, tokens: -tokens }));
  return [...changed, ...gone];
}
