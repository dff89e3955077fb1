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
  export default function markdownIt(options?: { html?: boolean }): { render(text: string): string };
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
