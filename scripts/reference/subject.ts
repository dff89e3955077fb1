import { relative, sep } from "node:path";

/** The page that explains what is declared in a file, by the beginning of its path in charter/src; the longest wins. */
const pages: Readonly<Record<string, string>> = {
  "prompt/": "charters.md",
  "prompt/problem.ts": "problems.md",
  "prompt/receipt.ts": "store.md",
  "prompt/tokens.ts": "models.md",
  "amend/": "guards.md",
  "amend/override/": "override-screen.md",
  "sources/": "files.md",
  "store/": "store.md",
  "store/accounts/": "security.md",
  "store/automata/": "automaton.md",
  "store/channels/": "telegram.md",
  "store/schedules/": "schedules.md",
  "delivery/": "delivery.md",
  "delivery/model.ts": "models.md",
  "delivery/models/": "models.md",
  "delivery/receiver.ts": "models.md",
  "delivery/tokenizer.ts": "models.md",
  "schedules/": "schedules.md",
  "agent/": "agent.md",
  "agent/declaration.ts": "own-charters.md",
  "agent/extension/": "extensions.md",
  "agent/hook.ts": "hooks.md",
  "agent/tools/reminders.ts": "schedules.md",
  "agent/usual-rules.ts": "guards.md",
  "agent/workspace/": "files.md",
  "charters/": "seeds.md",
  "charters/declared-turn.ts": "own-charters.md",
  "host/": "assistant.md",
  "host/workbench.ts": "files.md",
  "channels/automata.ts": "automaton.md",
  "channels/automaton/": "automaton.md",
  "channels/chain/": "chain.md",
  "channels/scheduled/": "schedules.md",
  "channels/telegram/": "telegram.md",
  "operations/users/": "security.md",
  "server/": "http.md",
  "server/auth/": "security.md",
  "server/config.ts": "assistant.md",
  "server/open.ts": "assistant.md",
  "server/turns/": "chat-clients.md",
  "testing/": "testing.md",
};

/** The page for a file of the source, where there is one. */
export function pageFor(file: string, source: string): string | undefined {
  const path = relative(source, file).replaceAll(sep, "/");
  const [found] = Object.keys(pages)
    .filter((start) => path.startsWith(start))
    .sort((one, other) => other.length - one.length);
  return found === undefined ? undefined : pages[found];
}
