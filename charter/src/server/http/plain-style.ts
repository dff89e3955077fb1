/** How the server's own plain pages look: sign-in and the reference. */
export const plainStyle = `:root { color-scheme: light dark; --ink: #1c1b19; --soft: #6a665e; --line: #e2ded5; --paper: #fbfaf7; --card: #ffffff;
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
