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
<p id="told" role="status">One moment…</p>
<noscript><p>This page needs JavaScript to sign you in.</p></noscript>
</main>
</body>
</html>
`;

/** Takes the code out of the address before anything else: it must not stay in the history, or be seen on a screen. */
const script = `const told = document.getElementById("told");
const usual = location.origin === "http://127.0.0.1:4747";
const again = "Where the server runs, “charter tokens sign-in" + (usual ? "" : " --url " + location.origin) + "” makes a link.";
async function signIn() {
  const code = location.hash.slice(1);
  history.replaceState(null, "", location.pathname);
  if (code === "") {
    told.textContent = "To sign in, open a link. " + again;
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
      told.textContent = error.message + " " + (answer.status === 401 ? again : error.hint);
    }
  } catch {
    told.textContent = "The server cannot be reached. Open the link again when it runs.";
  }
}
// Whoever was sent here from a page goes back to it; only ever to one of this server.
function wanted() {
  const path = sessionStorage.getItem("charter-after-sign-in") ?? "/";
  sessionStorage.removeItem("charter-after-sign-in");
  return path.startsWith("/agents/") ? path : "/";
}
// A link that is opened where this page is open already only changes what stands behind the #.
addEventListener("hashchange", signIn);
await signIn();
`;

export const signInPages: StaticPages = new Map([
  ["/sign-in", { type: "text/html; charset=utf-8", body: signInPage }],
  ["/sign-in.js", { type: "text/javascript; charset=utf-8", body: script }],
  ["/charter.css", { type: "text/css; charset=utf-8", body: plainStyle }],
]);
