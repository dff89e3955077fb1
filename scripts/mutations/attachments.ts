import type { Mutation } from "./mutation.ts";

const turns = ["test/agent/turns/attachments.test.ts"];
const kept = ["test/store/contract/attachments.test.ts"];
const bot = ["test/telegram/files.test.ts"];

/** Pictures and files: their limits, what they are, whose they are, and that they are other people's words. */
export const attachments: readonly Mutation[] = [
  {
    name: "attachment-size",
    file: "agent/attachments/input-part.ts",
    find: "if (file.length > maxBytes)",
    replace: "if (file.length > maxBytes + 1)",
    noticedBy: turns,
  },
  {
    name: "attachment-count",
    file: "agent/attachments/input-part.ts",
    find: "if (files.length > maxCount)",
    replace: "if (files.length > maxCount + 1)",
    noticedBy: turns,
  },
  {
    name: "attachment-sniffed",
    file: "agent/attachments/media-type.ts",
    find: '? is === "text/plain" : is === mediaType',
    replace: '? is === "text/plain" : true',
    noticedBy: turns,
  },
  {
    name: "attachment-taint",
    file: "agent/turn/begin-turn.ts",
    find: "begun.attachments.length > 0 && !deps.attachments.trusted",
    replace: "false",
    noticedBy: turns,
  },
  {
    name: "attachment-scope",
    file: "store/turns/attachments.ts",
    find: `where agent = \${scope.agent} and user_id = \${scope.user ?? ""} and digest in`,
    replace: `where agent = \${scope.agent} and digest in`,
    noticedBy: kept,
  },
  {
    name: "attachment-digest",
    file: "store/turns/attachments.ts",
    find: "if (digestOfBytes(row.body) !== digest) throw changedAttachment(digest);",
    replace: "",
    noticedBy: kept,
  },
  {
    name: "attachment-shortened",
    file: "agent/turn/window/shortened.ts",
    find: "const told = messages.map(withoutAttachments);",
    replace: "const told = messages;",
    noticedBy: ["src/agent/turn/window/shortened.test.ts"],
  },
  {
    name: "telegram-file-endless",
    file: "channels/telegram/bot-file.ts",
    find: 'if (bytes > maxBytes) return "too-large";',
    replace: "",
    noticedBy: bot,
  },
  {
    name: "telegram-file-said-size",
    file: "channels/telegram/incoming-file.ts",
    find: "if (file.bytes !== undefined && file.bytes > maxBytes) return tooLarge;",
    replace: "",
    noticedBy: bot,
  },
];
