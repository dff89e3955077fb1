import type { StaticPage, StaticPages } from "./static-pages.ts";
import { type CommandHint, commandLine } from "./this-server.ts";

export const signInPage = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Sign in · Charter</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/charter.css">
<script type="module" src="/sign-in.js"></script>
</head>
<body>
<main class="narrow">
<h1>Charter</h1>
<p>Charter builds the system prompts of your agents, and keeps a record of who wrote every word of them. This is the
studio, its page for operators.</p>
<p id="told" role="status">One moment…</p>
<p id="issuer" hidden><a href="/oidc"></a></p>
<div id="how" hidden>
<p>Where the server runs, in the directory it was started in, this command prints a new link:</p>
<p class="command"><code id="command"></code><button type="button" id="copy">Copy</button></p>
<p class="soft">You use an assistant, and do not run it? You sign in at <a href="/chat">/chat</a>.</p>
</div>
<noscript><p>This page needs JavaScript to sign you in.</p></noscript>
</main>
</body>
</html>
`;

/**
 * Script of the sign-in page. It first removes the code from the address, so that it does not stay in the history or on the
 * screen.
 */
const scriptFor = (
  command: string,
) => `const [told, how, line, copy] = ["told", "how", "command", "copy"].map((id) => document.getElementById(id));
const usual = location.origin === "http://127.0.0.1:4747";
line.textContent = ${JSON.stringify(command).replaceAll("<", "\\u003c")} + (usual ? "" : " --url " + location.origin);
copy.addEventListener("click", async () => {
  try {
    await navigator.clipboard.writeText(line.textContent);
    copy.textContent = "Copied";
  } catch {
    // Select the command where there is no clipboard, to be copied with the keyboard.
    getSelection().selectAllChildren(line);
    copy.textContent = "Selected";
  }
});
const { issuer } = document.documentElement.dataset;
async function signIn() {
  const code = location.hash.slice(1);
  history.replaceState(null, "", location.pathname);
  how.hidden = code !== "";
  if (code === "") {
    const way = document.getElementById("issuer");
    way.hidden = issuer === undefined;
    way.firstChild.textContent = "Sign in at " + issuer;
    told.textContent = issuer === undefined ? "To sign in, open a link." : "Sign in, or open a link.";
    return;
  }
  told.textContent = "Signing you in…";
  try {
    const answer = await fetch("/sign-in", {
      method: "POST",
      headers: { "content-type": "application/json", "x-charter-csrf": "1" },
      body: JSON.stringify({ code }),
    });
    if (answer.ok) location.replace(wanted());
    else {
      const { error } = await answer.json();
      how.hidden = answer.status !== 401;
      told.textContent = error.message + (how.hidden ? " " + error.hint : "");
    }
  } catch {
    told.textContent = "The server cannot be reached. Open the link again when it runs.";
  }
}
// Returns the page to go to after sign-in, if it is one of this server's.
function wanted() {
  const path = sessionStorage.getItem("charter-after-sign-in") ?? "/";
  sessionStorage.removeItem("charter-after-sign-in");
  return /^\\/(?:agents\\/|start$)/.test(path) ? path : "/";
}
// Opening a second link in this page only changes the part after the #.
addEventListener("hashchange", signIn);
await signIn();
`;

/** The page where operators sign in, with the command that makes a link where this server runs. */
export function signInPages(command: CommandHint): StaticPages {
  const script = scriptFor(commandLine(command, "tokens sign-in"));
  return new Map([
    ["/sign-in", { type: "text/html; charset=utf-8", body: signInPage }],
    ["/sign-in.js", { type: "text/javascript; charset=utf-8", body: script }],
    ["/charter.css", { type: "text/css; charset=utf-8", body: plainStyle }],
  ]);
}

const html = "text/html; charset=utf-8";

/** A page of one step: it sends the code in its address to the server, and goes where the answer says. */
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

/** Page with a button to accept an invitation, so that programs which follow the links in a mail do not use it up. */
const invited = `<p>You are invited to talk with an assistant. The invitation is for you alone, and works once.</p>
<p class="command"><span id="told" role="status">Press Accept to begin.</span><button type="button" id="go">Accept</button></p>`;
const waiting = `<p id="told" role="status">One moment…</p>
<p id="again" hidden><a>Start again</a></p>`;

/**
 * Script of these pages. It first removes the secret from the address, and sends it only to this server, or where this server
 * says.
 */
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
// A refused invitation stays refused; anything else may be tried again.
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
// Opening a second invitation in this page only changes the part after the #.
addEventListener("hashchange", () => location.reload());
if (go) go.addEventListener("click", step);
else await step();
`;

/** Page of an invitation; with an issuer also the pages where signing in there begins and ends. */
export function signInStepPages(about: { readonly oidc: boolean }): StaticPages {
  const steps = ["/chat/oidc", "/chat/oidc/return", "/oidc", "/oidc/return"];
  return new Map([
    ["/chat/invitation", stepPage("You are invited", invited)],
    ["/sign-in-step.js", { type: "text/javascript; charset=utf-8", body: script }],
    ...(about.oidc ? steps.map((path) => [path, stepPage("Signing in", waiting)] as const) : []),
  ]);
}

/** Adds the issuer's name to the pages for signed-out visitors, so that they lead there. */
export function withIssuer(pages: StaticPages, issuer: string): StaticPages {
  const host = new URL(issuer).host.replace(/[^\w.:[\]-]/g, "");
  const marked = (page: StaticPage) => {
    const text = typeof page.body === "string" ? page.body : new TextDecoder().decode(page.body);
    return { ...page, body: text.replace("<html ", `<html data-issuer="${host}" `) };
  };
  return new Map([...pages].map(([path, page]) => [path, page.type === html ? marked(page) : page]));
}

/** Style of the server's own plain pages: sign-in and the reference. */
const plainStyle = `:root { color-scheme: light dark; --ink: #1c1b19; --soft: #6a665e; --line: #e2ded5; --paper: #fbfaf7; --card: #ffffff;
  --accent: #7a4a12; --get: #1f6f43; --post: #9a5b00; --put: #6b4ba1; --patch: #6b4ba1; --delete: #a3312b }
@media (prefers-color-scheme: dark) { :root { --ink: #ece8df; --soft: #a49d90; --line: #37332c; --paper: #191714; --card: #211f1b;
  --accent: #e0a85a; --get: #6cc795; --post: #e5ab57; --put: #b79be6; --patch: #b79be6; --delete: #ec8078 } }
* { box-sizing: border-box }
body { margin: 0; background: var(--paper); color: var(--ink); font: 16px/1.55 ui-sans-serif, system-ui, sans-serif }
main { max-width: 56rem; margin: 0 auto; padding: 2.5rem 1.25rem 5rem }
main.narrow { max-width: 30rem; padding-top: 18vh }
h1 { font-size: 1.9rem; letter-spacing: -.02em; margin: 0 0 .4rem }
h2 { font-size: 1.15rem; margin: 2.6rem 0 .8rem; padding-bottom: .3rem; border-bottom: 1px solid var(--line) }
h3 { font-size: .8rem; text-transform: uppercase; letter-spacing: .06em; color: var(--soft); margin: 1.2rem 0 .3rem }
a { color: var(--accent) }
nav { display: flex; flex-wrap: wrap; gap: .35rem .9rem; margin: 1rem 0 }
code, pre { font: .86rem/1.5 ui-monospace, "SF Mono", Menlo, Consolas, monospace }
pre { margin: .3rem 0; padding: .7rem .9rem; background: var(--paper); border: 1px solid var(--line); border-radius: 8px; white-space: pre-wrap; overflow-wrap: anywhere }
details { background: var(--card); border: 1px solid var(--line); border-radius: 10px; margin: .5rem 0 }
details > div { padding: 0 1rem 1rem }
summary { display: flex; flex-wrap: wrap; align-items: baseline; gap: .2rem .8rem; padding: .6rem 1rem; cursor: pointer; list-style: none }
summary::-webkit-details-marker { display: none }
summary:focus-visible, a:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; border-radius: 6px }
summary .what { color: var(--soft); margin-left: auto; text-align: right }
.method { font: 700 .75rem ui-monospace, monospace; min-width: 3.6rem }
.get { color: var(--get) } .post { color: var(--post) } .put { color: var(--put) } .patch { color: var(--patch) } .delete { color: var(--delete) }
table { border-collapse: collapse; width: 100% }
td { padding: .3rem .8rem .3rem 0; border-top: 1px solid var(--line); vertical-align: top }
td:first-child { white-space: nowrap }
.command { display: flex; flex-wrap: wrap; align-items: center; gap: .5rem; padding: .5rem .6rem .5rem .9rem; background: var(--card); border: 1px solid var(--line); border-radius: 8px }
.command > :first-child { flex: 1 1 14rem; overflow-wrap: anywhere }
.command button { font: inherit; font-size: .9rem; padding: .35rem .8rem; color: var(--ink); background: var(--paper); border: 1px solid var(--line); border-radius: 6px; cursor: pointer }
.command button:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px }
.soft { color: var(--soft) }
.demo { margin: 0; padding: .5rem 1.25rem; background: var(--card); border-bottom: 1px solid var(--line); font-size: .9rem; text-align: center }
@media (max-width: 40rem) { main { padding: 1.5rem 1rem 4rem } code { overflow-wrap: anywhere }
  body:not(.chat) summary .what { margin: 0; width: 100%; text-align: left }
  tr { display: block; padding: .4rem 0; border-top: 1px solid var(--line) } td { display: inline; border: 0; padding: 0 .4rem 0 0 } }
`;
