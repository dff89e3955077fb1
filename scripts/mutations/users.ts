import type { Mutation } from "./mutation.ts";

const door = ["test/server/chat/chat-sign-in.test.ts"];
const own = ["test/server/chat/chat-own.test.ts"];
const tokens = ["test/store/contract/tokens.test.ts"];
const web = ["test/telegram/web.test.ts"];

// biome-ignore-start lint/suspicious/noTemplateCurlyInString: these are pieces of code

/** Users have a door of their own: what opens it opens no other, and nothing else opens it. */
export const users: readonly Mutation[] = [
  {
    name: "chat-half",
    file: "server/auth/chat-routes.ts",
    find: "setSession(context, { ...own, secret });",
    replace: "setSession(context, { ...own, secret: redeemed.secret });",
    noticedBy: door,
  },
  {
    name: "chat-cookie-alone",
    file: "store/accounts/tokens.ts",
    find: "values (${newId()}, ${sha256(secret)},",
    replace: 'values (${newId()}, ${sha256(secret.split(".")[0] as string)},',
    noticedBy: tokens,
  },
  {
    name: "chat-path",
    file: "server/auth/credentials.ts",
    find: "if (isForChat(context.req.path)) return chatOf(context);\n",
    replace: "if (isForChat(context.req.path) && chatOf(context)) return chatOf(context);\n",
    noticedBy: door,
  },
  {
    name: "chat-same-origin",
    file: "server/auth/authenticate.ts",
    find: '|| caller.by === "chat-cookie") checkSameOrigin',
    replace: ") checkSameOrigin",
    noticedBy: door,
  },
  {
    name: "chat-cookie-path",
    file: "server/auth/chat-routes.ts",
    find: 'path: "/chat" }',
    replace: 'path: "/" }',
    noticedBy: door,
  },
  {
    name: "chat-agent",
    file: "server/auth/find-caller.ts",
    find: 'by: "chat-cookie", user: token.user, agent: token.agent }',
    replace: 'by: "chat-cookie", user: token.user }',
    noticedBy: door,
  },
  {
    name: "chat-kind",
    file: "store/accounts/tokens.ts",
    find: 'find(secret, ["chat"])',
    replace: 'find(secret, [...ofApi, "chat"])',
    noticedBy: tokens,
  },
  {
    name: "chat-access",
    file: "store/accounts/tokens.ts",
    find: 'isOpen(now(), [...ofApi, "chat"])',
    replace: "isOpen(now())",
    noticedBy: tokens,
  },
  {
    name: "sign-in-door",
    file: "store/accounts/tokens.ts",
    find: 'rights in ${ofKinds("sign-in")} and ${named}',
    replace: 'rights in ${ofKinds("sign-in")}',
    noticedBy: tokens,
  },
  {
    name: "chat-end-whose",
    file: "store/accounts/tokens.ts",
    find: "where agent = ${agent} and user_id = ${user}\n",
    replace: "where agent = ${agent}\n",
    noticedBy: tokens,
  },
  {
    name: "chat-link-by-session",
    file: "server/routes/sign-in-links.ts",
    find: 'if (caller.kind === "user" && caller.by !== "jwt") throw notAllowed(what);\n',
    replace: "",
    noticedBy: own,
  },
  {
    name: "own-erase-confirmed",
    file: "server/routes/me-data.ts",
    find: "if (confirm !== user)",
    replace: "if (confirm === undefined)",
    noticedBy: own,
  },
  {
    name: "own-agent",
    file: "server/routes/me-data.ts",
    find: "return { user, ...(agent === undefined ? {} : { agent }) };",
    replace: "return { user };",
    noticedBy: own,
  },
  {
    name: "own-columns",
    file: "server/routes/me-data.ts",
    find: "filter(([name]) => names.has(name))",
    replace: "filter(() => names.size > 0)",
    noticedBy: own,
  },
  {
    name: "user-answer",
    file: "server/http/user-answer.ts",
    find: "filter(([name]) => told.has(name))",
    replace: "filter(() => told.size > 0)",
    noticedBy: own,
  },
  {
    name: "user-answer-stream",
    file: "server/turns/turn-stream.ts",
    find: "messageMetadata: userAnswer(chunk.messageMetadata) }",
    replace: "messageMetadata: chunk.messageMetadata }",
    noticedBy: own,
  },
  {
    name: "user-run-reason",
    file: "server/routes/runs.ts",
    find: 'kind === "operator" || plain.has(run.state)',
    replace: 'kind === "operator" || plain.size > 0',
    noticedBy: own,
  },
  {
    name: "own-events",
    file: "server/turns/own-events.ts",
    find: "if (user !== caller.user || agent !== (caller.agent ?? agent)) return undefined;",
    replace: "if (user !== caller.user) return undefined;",
    noticedBy: ["test/server/routes/routes-events.test.ts"],
  },
  {
    name: "web-link-kept-nowhere",
    file: "channels/telegram/receive.ts",
    find: 'case "web":\n        return sendText(bot, address, await webLink(known));',
    replace:
      'case "web": {\n        await put(id, known, { kind: "text", text: await webLink(known) });\n        return;\n      }',
    noticedBy: web,
  },
  {
    name: "web-link-allowance",
    file: "channels/telegram/receive.ts",
    find: "mayEnter(address) ? words.webWords",
    replace: "mayEnter(`${Math.random()}`) ? words.webWords",
    noticedBy: web,
  },
];
// biome-ignore-end lint/suspicious/noTemplateCurlyInString: these are pieces of code
