/** What of these packages is used here; they come without types. */
declare module "commonmark" {
  export class Parser {
    parse(text: string): unknown;
  }
  export class HtmlRenderer {
    render(tree: unknown): string;
  }
}
declare module "markdown-it" {
  type MarkdownIt = { render(text: string): string; use(plugin: unknown): MarkdownIt };
  export default function markdownIt(options?: { html?: boolean }): MarkdownIt;
}
declare module "markdown-it-footnote" {
  const plugin: unknown;
  export default plugin;
}
declare module "markdown-it-deflist" {
  const plugin: unknown;
  export default plugin;
}
declare module "cmark-gfm-js" {
  const gfm: { convertUnsafe(text: string, options: number): string; Option: { footnotes: number } };
  export default gfm;
}
declare module "showdown" {
  class Converter {
    setFlavor(name: string): void;
    makeHtml(text: string): string;
  }
  const showdown: { Converter: typeof Converter };
  export default showdown;
}
declare module "remarkable" {
  export class Remarkable {
    constructor(options?: { html?: boolean });
    render(text: string): string;
  }
}
