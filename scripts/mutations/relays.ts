import type { Mutation } from "./mutation.ts";

const hostile = ["test/sources/core-memory/relays-from-hell.test.ts"];
const real = ["test/sources/core-memory/relays.test.ts"];
const wire = "sources/core-memory/wire";

/** A relay that did not finish is taken for one that has nothing. */
export const relays: readonly Mutation[] = [
  {
    name: "relay-late-is-an-end",
    file: `${wire}/websocket-relay.ts`,
    find: "resolve({ relay: address.shown, events, ...(trouble && { trouble }) });",
    replace: 'resolve({ relay: address.shown, events, ...(trouble && trouble.kind !== "late" && { trouble }) });',
    noticedBy: hostile,
  },
  {
    name: "relay-late-is-nowhere",
    file: `${wire}/connection-trouble.ts`,
    find: 'kind: "late", reason',
    replace: 'kind: "unreachable", reason',
    noticedBy: hostile,
  },
  {
    name: "relay-refusal-is-nowhere",
    file: `${wire}/connection-trouble.ts`,
    find: '? { kind: "refused",',
    replace: '? { kind: "unreachable",',
    noticedBy: hostile,
  },
  {
    name: "relay-broken-off-is-nowhere",
    file: `${wire}/connection-trouble.ts`,
    find: "if (!wasConnected && code !== undefined",
    replace: "if (code !== undefined",
    noticedBy: [`src/${wire}/connection-trouble.test.ts`],
  },
  {
    name: "relay-one-address-is-all",
    file: `${wire}/connection-trouble.ts`,
    find: "codes.every(",
    replace: "codes.some(",
    noticedBy: [`src/${wire}/connection-trouble.test.ts`],
  },
  {
    name: "relay-dead-is-broken-off",
    file: `${wire}/connection-trouble.ts`,
    find: '  ECONNREFUSED: "nothing listens there",\n',
    replace: "",
    noticedBy: real,
  },
  {
    name: "relay-end-before-login",
    file: `${wire}/websocket-relay.ts`,
    find: '(login.status() !== "waiting" || events.some(isWanted))',
    replace: "true",
    noticedBy: hostile,
  },
  {
    name: "relay-end-of-another",
    file: `${wire}/websocket-relay.ts`,
    find: "if (subscription !== String(asked)) return;",
    replace: "",
    noticedBy: hostile,
  },
  {
    name: "relay-login-asked-for-twice",
    file: `${wire}/relay-login.ts`,
    find: 'if (isGranted) options.onRefused("It wants a login, though it took the one it was given.");\n      else answer();',
    replace: "answer();",
    noticedBy: hostile,
  },
  {
    name: "relay-any-ok-is-ours",
    file: `${wire}/websocket-relay.ts`,
    find: 'if (type !== "OK" || id !== event.id) return;',
    replace: 'if (type !== "OK") return;',
    noticedBy: hostile,
  },
  {
    name: "relay-events-without-end",
    file: `${wire}/websocket-relay.ts`,
    find: "if (events.length === relayLimits.events) return finish(tooManyEvents);",
    replace: "",
    noticedBy: hostile,
  },
  {
    name: "relay-message-of-any-size",
    file: `${wire}/frame.ts`,
    find: "else if (head.length + kept > maxBytes)",
    replace: "else if (head.length > maxBytes)",
    noticedBy: [`src/${wire}/frame.test.ts`],
  },
  {
    name: "relay-http-status-unread",
    file: `${wire}/http-relay.ts`,
    find: "answer.status >= 200 && answer.status < 300 ? answer",
    replace: "answer.status < 500 ? answer",
    noticedBy: hostile,
  },
  {
    name: "relay-list-of-anyone",
    file: `${wire}/relay-list.ts`,
    find: "    if (!key.verify(event)) return true;\n",
    replace: "",
    noticedBy: real,
  },
  {
    name: "relay-list-of-long-ago",
    file: "sources/core-memory/ask-relays.ts",
    find: "!isNewer(list, newest)",
    replace: "isNewer(list, newest)",
    noticedBy: real,
  },
  {
    name: "relay-query-shown",
    file: `${wire}/relay-address.ts`,
    find: 'path === "/" ? "" : path}',
    replace: "rest}",
    noticedBy: [`src/${wire}/relay-address.test.ts`],
  },
  {
    name: "memory-listing-of-one-page",
    file: "sources/core-memory/list-memory.ts",
    find: "const isStuck = !isEnd &&",
    replace: "const isStuck = times.length < pageSize ||",
    noticedBy: real,
  },
];
