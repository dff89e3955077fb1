import type { Mutation } from "./mutation.ts";

const stream = ["test/server/chat/ui-stream.test.ts"];
const slow = ["test/server/chat/ui-stream-slow.test.ts"];
const begun = ["test/server/chat/ui-stream-turn.test.ts"];
const chat = ["test/server/chat/use-chat.test.ts"];
const routes = ["test/server/turns.test.ts"];
const tools = ["test/server/tools.test.ts"];

// biome-ignore-start lint/suspicious/noTemplateCurlyInString: these are pieces of code
/** Turns over HTTP. */
export const turns: readonly Mutation[] = [
  {
    name: "turns-draft-kept",
    file: "server/turns/ui-stream.ts",
    find: '    send({ type: "reset-step" });\n',
    replace: "",
    noticedBy: stream,
  },
  {
    name: "turns-reply-as-drafted",
    file: "server/turns/ui-stream.ts",
    find: 'if (drafts === "hold" || drafted !== outcome.reply) {',
    replace: 'if (drafts === "hold") {',
    noticedBy: stream,
  },
  {
    name: "turns-notice-lost",
    file: "server/turns/ui-stream.ts",
    find: "    for (const part of inThisStep) send(part);\n",
    replace: "",
    noticedBy: stream,
  },
  {
    name: "turns-hold-streams",
    file: "server/turns/ui-stream.ts",
    find: 'if (drafts === "stream") say(event.text);',
    replace: "say(event.text);",
    noticedBy: stream,
  },
  {
    name: "turns-call-twice",
    file: "server/turns/ui-stream.ts",
    find: "    seen.add(own);\n",
    replace: "",
    noticedBy: stream,
  },
  {
    name: "turns-prompt-shown",
    file: "server/turns/ui-stream.ts",
    find: "everything || (call.shown && !showPrompt.has(name))",
    replace: "everything || call.shown",
    noticedBy: stream,
  },
  {
    name: "turns-section-shown",
    file: "server/turns/ui-stream.ts",
    find: "!isOwn(event.outcome)) call.shown = false;",
    replace: "isOwn(event.outcome)) call.shown = false;",
    noticedBy: stream,
  },
  {
    name: "turns-diff-shown",
    file: "server/turns/ui-part.ts",
    find: "const words = everything || isOwn(outcome) ? { diff } : {};",
    replace: "const words = { diff };",
    noticedBy: stream,
  },
  {
    name: "turns-provider-quoted",
    file: "server/turns/ui-part.ts",
    find: "const because = forOperator ? { because: event.fault.message } : {};",
    replace: "const because = { because: event.fault.message };",
    noticedBy: stream,
  },
  {
    name: "turns-stopped-fails",
    file: "server/turns/ui-stream.ts",
    find: 'if (stopped) send({ type: "abort", reason: message });',
    replace: 'if (!stopped) send({ type: "abort", reason: message });',
    noticedBy: stream,
  },
  {
    name: "turns-slow-unbounded",
    file: "server/turns/turn-sse.ts",
    find: "if (size > max) cut(behindChunk);",
    replace: "if (size > max * 1e9) cut(behindChunk);",
    noticedBy: slow,
  },
  {
    name: "turns-stalled-kept",
    file: "server/turns/turn-sse.ts",
    find: "unreadMs = waiting.length > 0 || ended ? unreadMs + quietMs : 0;",
    replace: "unreadMs = 0;",
    noticedBy: slow,
  },
  {
    name: "turns-reader-gone",
    file: "server/turns/turn-sse.ts",
    find: "      cancel: leave,\n",
    replace: "",
    noticedBy: slow,
  },
  {
    name: "turns-unbegun-waits",
    file: "server/turns/turn-stream.ts",
    find: "const opening = setTimeout(begun.resolve, patienceMs);",
    replace: "const opening = setTimeout(() => {}, patienceMs);",
    noticedBy: begun,
  },
  {
    name: "turns-session-forgotten",
    file: "server/turns/chat-turn.ts",
    find: "  if (last !== undefined) return { id: last, named: false };\n",
    replace: "",
    noticedBy: chat,
  },
  {
    name: "turns-session-by-id",
    file: "server/turns/chat-turn.ts",
    find: "return scope.agent === agent && scope.user === user;",
    replace: "return scope.agent === agent;",
    noticedBy: chat,
  },
  {
    name: "turns-session-stuck",
    file: "server/turns/turn-handle.ts",
    find: 'if (!anew || error.code !== "session-ended") throw error;',
    replace: "throw error;",
    noticedBy: chat,
  },
  {
    name: "turns-session-told",
    file: "server/turns/turn-handle.ts",
    find: 'if (error.code === "unknown-session") throw notFound(`session “${asked.session}”`);',
    replace: "",
    noticedBy: routes,
  },
  {
    name: "turns-others-read",
    file: "server/routes/turn-records.ts",
    find: "if (whose === caller.user && (caller.agent ?? agent) === agent) return found;",
    replace: "if ((caller.agent ?? agent) === agent) return found;",
    noticedBy: routes,
  },
  {
    name: "turns-input-length",
    file: "server/turns/turn-body.ts",
    find: "const long = input.length > maxInputChars ? countCharacters(input) : 0;",
    replace: "const long = input.length;",
    noticedBy: routes,
  },
  {
    name: "turns-own-tool-told",
    file: "server/turns/ui-part.ts",
    find: "const data = forOperator ? { title, kind, status, paths } : { kind: knownKind(kind), status };",
    replace: "const data = { title, kind, status, paths };",
    noticedBy: stream,
  },
  {
    name: "turns-own-tool-id",
    file: "server/turns/ui-stream.ts",
    find: "return { ...part, id: number };",
    replace: "return part;",
    noticedBy: stream,
  },
  {
    name: "turns-answering-aside",
    file: "server/turns/ui-stream.ts",
    find: 'const text = event.answering ? "" : takeBack();',
    replace: "const text = takeBack();",
    noticedBy: stream,
  },
  {
    name: "turns-runner-told",
    file: "server/routes/turn-records.ts",
    find: "isOperator ? { runner, leasedUntil, ...known?.get(facts.id) } : {}",
    replace: "{ runner, leasedUntil, ...known?.get(facts.id) }",
    noticedBy: routes,
  },
  {
    name: "turns-stop-forgotten",
    file: "server/turns/stoppable-turns.ts",
    find: "      found?.abort();\n",
    replace: "",
    noticedBy: routes,
  },
  {
    name: "turns-tool-scope",
    file: "server/routes/tools.ts",
    find: "if (caller.agent !== agent) throw notFound(`agent “${agent}”`);",
    replace: "",
    noticedBy: tools,
  },
  {
    name: "turns-tool-user",
    file: "server/routes/tools.ts",
    find: "if (user !== undefined && user !== caller.user) throw notFound(`user “${user}”`);",
    replace: "",
    noticedBy: tools,
  },
];
// biome-ignore-end lint/suspicious/noTemplateCurlyInString: these are pieces of code
