import { checkNames, checkText } from "./argument.ts";
import { withoutControlTokens } from "./control-token.ts";
import { type ForgeryPlaces, placesIn } from "./forgery.ts";
import { lineKey } from "./line.ts";
import { type ForbiddenStructure, nothingForbidden } from "./structure.ts";

/** What text must not pass for: headings down to `level`, separator lines (`rules`), these lines, these tags. */
export type InertOptions = {
  readonly level?: number;
  readonly rules?: boolean;
  readonly lines?: readonly string[];
  readonly tags?: readonly string[];
};

/**
 * Escapes text that others can change, so that nothing in it can act as a heading, a separator or a tag of the prompt, or
 * as a control token of a chat template. `assemble` does this by itself; use it for text you place yourself.
 */
export function inert(text: string, options: InertOptions = {}): string {
  checkText("inert", text);
  checkNames<InertOptions>("inert", options, ["level", "rules", "lines", "tags"]);
  const { level = 0, rules = false, lines = [], tags = [] } = options;
  const { places, closing } = placesIn(text, {
    ...nothingForbidden,
    level,
    rules,
    lines: new Set(lines.map(lineKey)),
    tags: new Set(tags.map((tag) => tag.toLowerCase())),
  });
  return withoutControlTokens(escapeAt(text, indicesOf(places, closing))) + closing;
}

/** Several such texts that stand together, each with the gap after it: a heading can be made of two of them. */
export function inertTogether(
  texts: readonly string[],
  gaps: readonly string[],
  forbidden: ForbiddenStructure,
): string[] {
  const { places, closing } = placesIn(texts.map((text, index) => text + gaps[index]).join(""), forbidden);
  if (places.length === 0) return [...texts];
  const indices = indicesOf(places, closing);
  let [from, next] = [0, 0];
  return texts.map((text, index) => {
    const own: number[] = [];
    for (; next < indices.length && (indices[next] as number) < from + text.length; next++)
      if ((indices[next] as number) >= from) own.push((indices[next] as number) - from);
    from += text.length + (gaps[index] as string).length;
    return escapeAt(text, own) + (index === texts.length - 1 ? closing : "");
  });
}

/** A fence that gets a closing line keeps its power. */
function indicesOf(places: ForgeryPlaces["places"], closing: string): number[] {
  const closed =
    closing === "" ? undefined : places.findLast(({ what, certainty }) => what === "fence" && certainty === "hides");
  return places.filter((place) => place !== closed).map(({ at }) => at);
}

/** A backslash before a sign takes its power; not that of `<`, on which readers disagree. */
export function escapeAt(text: string, indices: readonly number[]): string {
  if (indices.length === 0) return text;
  let out = "";
  let from = 0;
  for (const at of indices) {
    const isTag = "<\uFF1C\uFE64".includes(text[at] as string);
    out += text.slice(from, at) + (isTag ? "&lt;" : "\\");
    from = isTag ? at + 1 : at;
  }
  return out + text.slice(from);
}
