import type { Mutation } from "./mutation.ts";

const watch = ["src/server/auth/access.test.ts"];
const shutOut = ["test/server/shut-out.test.ts"];
const tokens = ["test/store/contract/tokens.test.ts"];
const limits = ["test/server/core/core-limits.test.ts"];

/** Who was let in once is not let in for ever. */
export const access: readonly Mutation[] = [
  {
    name: "access-token",
    file: "server/auth/access.ts",
    find: "if (token !== undefined && !holding.has(token)) end(entry, badToken());\n      else if",
    replace: "if",
    noticedBy: watch,
  },
  {
    name: "access-erased",
    file: "server/auth/access.ts",
    find: "turn !== undefined && erased.has(turn)",
    replace: "turn !== undefined && false",
    noticedBy: watch,
  },
  {
    name: "access-until",
    file: "server/auth/access.ts",
    find: "<= now()) end(entry, badToken());",
    replace: "<= 0) end(entry, badToken());",
    noticedBy: watch,
  },
  {
    name: "access-patience",
    file: "server/auth/access.ts",
    find: "else if (at - entry.confirmedAt > accessTimeoutMs) end(entry, uncheckedProblem());",
    replace: "",
    noticedBy: watch,
  },
  {
    name: "access-own-absence",
    file: "server/auth/access.ts",
    find: "Math.min(at - (lookedAt ?? at), mostMs)",
    replace: "at - (lookedAt ?? at)",
    noticedBy: watch,
  },
  {
    name: "access-asked-again",
    file: "server/auth/access.ts",
    find: "if (askedAt !== undefined && at - askedAt <= accessTimeoutMs) return;",
    replace: "if (askedAt !== undefined) return;",
    noticedBy: watch,
  },
  {
    name: "access-idle",
    file: "server/auth/access.ts",
    find: "      stop?.();\n",
    replace: "",
    noticedBy: watch,
  },
  {
    name: "access-jwt-until",
    file: "server/auth/find-caller.ts",
    find: 'by: "jwt", ...about }',
    replace: 'by: "jwt" }',
    noticedBy: shutOut,
  },
  {
    name: "access-body",
    file: "server/auth/authenticate.ts",
    find: "      access.ended.throwIfAborted();\n",
    replace: "",
    noticedBy: shutOut,
  },
  {
    name: "access-events",
    file: "server/turns/event-feed.ts",
    find: "        endWith(shutOut, close);\n",
    replace: "",
    noticedBy: shutOut,
  },
  {
    name: "access-events-waiting",
    file: "server/turns/event-feed.ts",
    find: "lines = [closedLine(shutOut.reason)];",
    replace: "lines.push(closedLine(shutOut.reason));",
    noticedBy: shutOut,
  },
  {
    name: "access-turn-stream",
    file: "server/turns/turn-stream.ts",
    find: 'else ended.addEventListener("abort", close, { once: true });',
    replace: "",
    noticedBy: shutOut,
  },
  {
    name: "access-turn-waiting",
    file: "server/turns/turn-sse.ts",
    find: "if (!gone) waiting = last.map(lineOf);",
    replace: "if (!gone) waiting.push(...last.map(lineOf));",
    noticedBy: shutOut,
  },
  {
    name: "access-turn-json",
    file: "server/routes/turns.ts",
    find: "await Promise.race([taken.outcome, shutOut.promise])",
    replace: "await taken.outcome",
    noticedBy: shutOut,
  },
  {
    name: "access-turn-not-begun",
    file: "server/turns/turn-handle.ts",
    find: "async () => !access.ended.aborted",
    replace: "async () => true",
    noticedBy: shutOut,
  },
  {
    name: "access-turn-followed",
    file: "server/turns/turn-handle.ts",
    find: "      access.follow(id);\n",
    replace: "",
    noticedBy: shutOut,
  },
  {
    name: "access-in-batches",
    file: "store/home/find-ids.ts",
    find: "from += maxAtOnce",
    replace: "from += ids.length",
    noticedBy: tokens,
  },
  {
    name: "proxies-loopback",
    file: "server/auth/address.ts",
    find: "if (proxies === 0 || header === undefined) return networkOf(direct);",
    replace: 'if ((proxies === 0 && !direct.startsWith("127.")) || header === undefined) return networkOf(direct);',
    noticedBy: limits,
  },
  {
    name: "proxies-told-once",
    file: "server/auth/forwarded.ts",
    find: "    told = true;\n",
    replace: "",
    noticedBy: limits,
  },
  {
    name: "proxies-told",
    file: "server/observe/request-log.ts",
    find: "      about.noticeForwarded(headers);\n",
    replace: "",
    noticedBy: limits,
  },
  {
    name: "proxies-number",
    file: "server/app.ts",
    find: "  checkProxies(options.proxies);\n",
    replace: "",
    noticedBy: limits,
  },
];
