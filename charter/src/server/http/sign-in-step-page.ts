import type { StaticPage, StaticPages } from "./static-pages.ts";

const html = "text/html; charset=utf-8";

/** A page of one step: it hands in what its address has, and goes where the answer says. */
function stepPage(title: string, body: string): StaticPage {
  return {
    type: html,
    body: `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/charter.css">
<script type="module" src="/sign-in-step.js"></script>
</head>
<body>
<main class="narrow">
<h1>${title}</h1>
${body}
<ul id="agents" hidden></ul>
<noscript><p>This page needs JavaScript to sign you in.</p></noscript>
</main>
</body>
</html>
`,
  };
}

/** A program that follows the links in a mail uses no invitation up: a person presses the button. */
const invited = `<p>You are invited to talk with an assistant. The invitation is for you alone, and works once.</p>
<p class="command"><span id="told" role="status">Press Accept to begin.</span><button type="button" id="go">Accept</button></p>`;
const waiting = `<p id="told" role="status">One moment…</p>
<p id="again" hidden><a>Start again</a></p>`;

/** Takes what is secret out of the address before anything else. It goes only to this server, or where this server says. */
const script = `const [told, go, again, agents] = ["told", "go", "again", "agents"].map((id) => document.getElementById(id));
const asked = { code: location.hash.slice(1), query: location.search };
history.replaceState(null, "", location.pathname);
async function step() {
  if (go) go.disabled = true;
  told.textContent = "One moment…";
  try {
    const answer = await fetch(location.pathname, {
      method: "POST",
      headers: { "content-type": "application/json", "x-charter-csrf": "1" },
      body: JSON.stringify(asked),
    });
    const body = await answer.json();
    if (body.url) location.replace(body.url);
    else if (body.agents) choose(body.agents);
    else stay(body.error.message + " " + body.error.hint, answer.status === 401);
  } catch {
    stay("The server cannot be reached. Try again later.", false);
  }
}
// An invitation that did not hold does not hold the next time; anything else may be tried again.
function stay(words, isOver) {
  told.textContent = words;
  if (go) go.disabled = isOver;
  if (!again) return;
  again.hidden = false;
  again.firstChild.href = location.pathname.replace(/\\/return$/, "");
}
function choose(names) {
  told.textContent = "With whom do you want to talk?";
  agents.hidden = false;
  agents.replaceChildren(...names.map((name) => {
    const [item, link] = ["li", "a"].map((tag) => document.createElement(tag));
    link.href = "/chat/oidc?agent=" + encodeURIComponent(name);
    link.textContent = name;
    item.append(link);
    return item;
  }));
}
// An invitation that is opened where another is open already only changes what comes after the #.
addEventListener("hashchange", () => location.reload());
if (go) go.addEventListener("click", step);
else await step();
`;

/** The page of an invitation; and, where people sign in at an issuer, where that begins and ends. */
export function signInStepPages(about: { readonly oidc: boolean }): StaticPages {
  const steps = ["/chat/oidc", "/chat/oidc/return", "/oidc", "/oidc/return"];
  return new Map([
    ["/chat/invitation", stepPage("You are invited", invited)],
    ["/sign-in-step.js", { type: "text/javascript; charset=utf-8", body: script }],
    ...(about.oidc ? steps.map((path) => [path, stepPage("Signing in", waiting)] as const) : []),
  ]);
}

/** The pages for who is not signed in, where there is an issuer to sign in at: they say so, and lead there. */
export function withIssuer(pages: StaticPages, issuer: string): StaticPages {
  const host = new URL(issuer).host.replace(/[^\w.:[\]-]/g, "");
  const marked = (page: StaticPage) => {
    const text = typeof page.body === "string" ? page.body : new TextDecoder().decode(page.body);
    return { ...page, body: text.replace("<html ", `<html data-issuer="${host}" `) };
  };
  return new Map([...pages].map(([path, page]) => [path, page.type === html ? marked(page) : page]));
}
