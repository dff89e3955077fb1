import type { Mutation } from "./mutation.ts";

const split = ["src/channels/telegram/split.test.ts"];
const talk = ["test/telegram/talk.test.ts"];
const strangers = ["test/telegram/strangers.test.ts"];
const faults = ["test/telegram/faults.test.ts"];
const webhook = ["test/telegram/webhook.test.ts"];
const approvals = ["test/telegram/approvals.test.ts"];
const crash = ["test/telegram/crash.test.ts"];

// biome-ignore-start lint/suspicious/noTemplateCurlyInString: these are pieces of code
/** A bot that loses nothing, says nothing twice and tells nobody anything that is not theirs. */
export const telegram: readonly Mutation[] = [
  {
    name: "telegram-fence-closed",
    file: "channels/telegram/split.ts",
    find: 'const closing = fence ? `${words.endsWith("\\n") ? "" : "\\n"}${fence.closer}` : "";',
    replace: 'const closing = "";',
    noticedBy: split,
  },
  {
    name: "telegram-fence-opened",
    file: "channels/telegram/split.ts",
    find: 'const opening = open ? `${open.opener}\\n` : "";',
    replace: 'const opening = open ? `${open.closer}\\n` : "";',
    noticedBy: split,
  },
  {
    name: "telegram-grapheme",
    file: "channels/telegram/cut.ts",
    find: "for (const boundary of [graphemeAt, codePointAt])",
    replace: "for (const boundary of [codePointAt])",
    noticedBy: split,
  },
  {
    name: "telegram-fence-room",
    file: "channels/telegram/cut.ts",
    find: "return end + (fence ? fence.closer.length + 1 : 0) <= room;",
    replace: "return end <= room;",
    noticedBy: split,
  },
  {
    name: "telegram-offset",
    file: "channels/telegram/poll.ts",
    find: "      await receive(update);\n      offset = update.update_id + 1;",
    replace: "      offset = update.update_id + 1;\n      await receive(update);",
    noticedBy: faults,
  },
  {
    name: "telegram-webhook-left",
    file: "channels/telegram/poll.ts",
    find: "if (!webhookGone) {",
    replace: "if (webhookGone) {",
    noticedBy: faults,
  },
  {
    name: "telegram-poison",
    file: "channels/telegram/taking.ts",
    find: "if (count < mostFailures) throw error;",
    replace: "throw error;",
    noticedBy: faults,
  },
  {
    name: "telegram-poison-store-away",
    file: "channels/telegram/taking.ts",
    find: 'await house.store.links.find(agent, channel, "0");\n      const count = (failures.get(id) ?? 0) + 1;',
    replace: "const count = (failures.get(id) ?? 0) + mostFailures;",
    noticedBy: faults,
  },
  {
    name: "telegram-stranger-trace",
    file: "channels/telegram/receive.ts",
    find: "if (!known) {\n",
    replace: 'if (!known) {\n      bot.note("stranger", { address });\n',
    noticedBy: strangers,
  },
  {
    name: "telegram-stranger-once",
    file: "channels/telegram/receive.ts",
    find: 'incoming.kind !== "press" && mayHear(address)',
    replace: 'incoming.kind !== "press"',
    noticedBy: strangers,
  },
  {
    name: "telegram-guessing",
    file: "channels/telegram/receive.ts",
    find: "if (!mayTry(address)) {",
    replace: "if (!mayTry(address) && code === undefined) {",
    noticedBy: strangers,
  },
  {
    name: "telegram-group",
    file: "channels/telegram/incoming.ts",
    find: 'message.chat?.type !== "private" || message.from?.is_bot',
    replace: "message.from?.is_bot",
    noticedBy: strangers,
  },
  {
    name: "telegram-unlinked-answer",
    file: "channels/telegram/send.ts",
    find: "if (!link || link.scope.user !== scope.user) return dead(",
    replace: "if (link === null) return dead(",
    noticedBy: strangers,
  },
  {
    name: "telegram-unlinked-update",
    file: "channels/telegram/work.ts",
    find: "if (!link || user === undefined || link.scope.user !== user) return { dispatches: [] };",
    replace: "if (user === undefined) return { dispatches: [] };",
    noticedBy: strangers,
  },
  {
    name: "telegram-answered-before",
    file: "channels/telegram/work.ts",
    find: 'if (before?.state === "answered") return reply(before.id, before.reply);',
    replace: "",
    noticedBy: crash,
  },
  {
    name: "telegram-stopped-turn",
    file: "channels/telegram/work.ts",
    find: 'if (signal.aborted) throw new Problem("closing", "The turn was stopped.", "It is begun again.");',
    replace: "",
    noticedBy: talk,
  },
  {
    name: "telegram-failed-words",
    file: "channels/telegram/work.ts",
    find: 'return failed(bot, outcome.because?.code ?? "", outcome.turn);',
    replace: 'return { text: outcome.because?.message ?? "" };',
    noticedBy: talk,
  },
  {
    name: "telegram-typing",
    file: "channels/telegram/work.ts",
    find: "stopTyping = every(typingMs, typing, sleep);",
    replace: "",
    noticedBy: talk,
  },
  {
    name: "telegram-retry-after",
    file: "channels/telegram/bot-api.ts",
    find: "afterMs: (seconds > 0 ? seconds : 1) * 1000",
    replace: "afterMs: 1000",
    noticedBy: faults,
  },
  {
    name: "telegram-whole-bot-waits",
    file: "channels/telegram/send.ts",
    find: 'if (fault.kind === "busy") pause(wait);',
    replace: "",
    noticedBy: faults,
  },
  {
    name: "telegram-refused-is-dead",
    file: "channels/telegram/send.ts",
    find: 'if (fault.kind === "refused") return dead(fault.because);',
    replace: "",
    noticedBy: faults,
  },
  {
    name: "telegram-away-is-not-dead",
    file: "channels/telegram/send.ts",
    find: 'if (fault.kind === "refused") return dead(fault.because);',
    replace: "return dead(fault.because);",
    noticedBy: faults,
  },
  {
    name: "telegram-secret",
    file: "channels/telegram/webhook.ts",
    find: "if (secret === undefined || !isSame(given, secret))",
    replace: "if (secret !== undefined && !isSame(given, secret))",
    noticedBy: webhook,
  },
  {
    name: "telegram-kept-before-200",
    file: "channels/telegram/webhook.ts",
    find: 'return answer(503, "It could not be kept; post it again.", { "retry-after": "5" });',
    replace: 'return answer(200, "ok");',
    noticedBy: webhook,
  },
  {
    name: "telegram-others-approval",
    file: "channels/telegram/press.ts",
    find: "await house.approve(held, scope.user, scope)",
    replace: "await house.approve(held, scope.user)",
    noticedBy: approvals,
  },
  {
    name: "telegram-approved-again",
    file: "channels/telegram/press.ts",
    find: "return { id: `approved-${id}`,",
    replace: "return { id: `approved-${id}-${Math.random()}`,",
    noticedBy: approvals,
  },
  {
    name: "telegram-previews",
    file: "channels/telegram/bot.ts",
    find: "link_preview_options: { is_disabled: true }",
    replace: "link_preview_options: { is_disabled: false }",
    noticedBy: approvals,
  },
  {
    name: "telegram-unseen-letters",
    file: "channels/approval.ts",
    find: 'words.replace(new RegExp(invisible, "gu"),',
    replace: "words.replace(/$^/u,",
    noticedBy: approvals,
  },
  {
    name: "telegram-token-in-fault",
    file: "channels/telegram/bot-api.ts",
    find: 'typeof code === "string" ? ` (${code})` : ""',
    replace: "` (${JSON.stringify(error)} ${String(error)})`",
    noticedBy: ["src/channels/telegram/bot-api.test.ts"],
  },
];
// biome-ignore-end lint/suspicious/noTemplateCurlyInString: these are pieces of code
