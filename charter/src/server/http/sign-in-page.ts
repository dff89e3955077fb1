import { type CommandHint, commandLine } from "./command-hint.ts";
import { plainStyle } from "./plain-style.ts";
import type { StaticPages } from "./static-pages.ts";

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

/** Takes the code out of the address before anything else: it must not stay in the history, or be seen on a screen. */
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
    // No clipboard here: it is selected, and the keys copy it.
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
// Whoever was sent here from a page goes back to it; only ever to one of this server.
function wanted() {
  const path = sessionStorage.getItem("charter-after-sign-in") ?? "/";
  sessionStorage.removeItem("charter-after-sign-in");
  return /^\\/(?:agents\\/|start$)/.test(path) ? path : "/";
}
// A link that is opened where this page is open already only changes what comes after the #.
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
