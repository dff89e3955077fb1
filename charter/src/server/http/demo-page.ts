import type { StaticPage, StaticPages } from "./static-pages.ts";

/** What a plain page says of a demo; the pages of the studio say it in their own words. */
const notice =
  '<p class="demo" role="note"><strong>Demo.</strong> Everything here is made up, and a script answers. Nothing leaves this machine.</p>';

/** Every page of a demo says that it is one, before anybody has signed in and without any script. */
export function demoPages(pages: StaticPages): StaticPages {
  return new Map([...pages].map(([path, page]) => [path, page.type.startsWith("text/html") ? marked(page) : page]));
}

function marked(page: StaticPage): StaticPage {
  const text = typeof page.body === "string" ? page.body : new TextDecoder().decode(page.body);
  return { ...page, body: demoPage(text) };
}

/** A document that is marked as a demo's. A plain one has no script to say it: it is told in its first line. */
export function demoPage(html: string): string {
  const named = html.replace("<html ", '<html data-demo="" ');
  return named.includes('href="/charter.css"') ? named.replace(/<body[^>]*>/, (body) => `${body}\n${notice}`) : named;
}
