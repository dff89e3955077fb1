/** What may not stand in words that others can change: headings down to `level`, and, where they part layers, rules. */
export type Forbidden = { readonly level: number; readonly rules: boolean };

/** A place where a text forges a heading or a separator, or leaves a code fence open. */
export type Forgery = {
  readonly what: "heading" | "separator" | "open-fence";
  readonly at: number;
  readonly level: number;
};

/**
 * Makes texts that stand together inert, each with the gap after it (a heading can be made of two of them). It needs a
 * Markdown parser, so it is handed in, and whoever assembles without one pays nothing for it.
 */
export type Inert = (texts: readonly string[], gaps: readonly string[], forbidden: Forbidden) => string[];

/** Only a text with one of these can hold a heading, a rule or a fence: most need no parser. */
const suspicious = /[#=`~]|^[ \t>]*(?:[-*_][ \t]*)+$/m;

export function mayForge(text: string): boolean {
  return suspicious.test(text) || (oddLineEnd.test(text) && suspicious.test(lineShadow(text)));
}

const oddLineEnd = /[\r\v\f\u0085\u2028\u2029]/;

/** The text with every kind of line end where a parser that knows only `\n` sees it. Indices stay the same. */
export function lineShadow(text: string): string {
  if (!oddLineEnd.test(text)) return text;
  return text.replace(/\r\n/g, " \n").replace(/[\r\v\f\u0085\u2028\u2029]/g, "\n");
}
