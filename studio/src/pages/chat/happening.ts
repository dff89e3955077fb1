import type { Assembled } from "../../assembly/assembled.ts";
import { type Happening, refusalsIn, saysOf } from "../../kit/unfold.ts";

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
