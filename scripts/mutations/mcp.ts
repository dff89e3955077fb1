import type { Mutation } from "./mutation.ts";

const hostile = ["test/mcp/hostile.test.ts"];
const pins = ["test/store/contract/tool-pins.test.ts"];
const http = ["test/mcp/http.test.ts"];

/** Tools of strangers: what they say is screened and pinned, what they bring is fenced, what they are is shut in. */
export const mcp: readonly Mutation[] = [
  {
    name: "mcp-screen",
    file: "agent/mcp/mcp-tools.ts",
    find: "reasons: screenTool(tool, others),",
    replace: "reasons: [],",
    noticedBy: hostile,
  },
  {
    name: "mcp-changed",
    file: "store/pins/tool-pin-row.ts",
    find: 'pin.nextDigest === digest ? "same" : "held"',
    replace: 'pin.nextDigest === digest ? "same" : "pinned"',
    noticedBy: pins,
  },
  {
    name: "mcp-new-id",
    file: "store/pins/tool-pins.ts",
    find: "do update set id = excluded.id, status = 'waiting',",
    replace: "do update set status = 'waiting',",
    noticedBy: pins,
  },
  {
    name: "mcp-held-offered",
    file: "agent/mcp/mcp-tools.ts",
    find: 'const offered = pins.filter(({ status }) => status === "pinned");',
    replace: "const offered = pins.filter(({ definition }) => definition !== null);",
    noticedBy: hostile,
  },
  {
    name: "mcp-collision",
    file: "agent/mcp/mcp-tools.ts",
    find: "const taken = new Set(ours);",
    replace: "const taken = new Set<string>();",
    noticedBy: hostile,
  },
  {
    name: "mcp-fence",
    file: "agent/mcp/mcp-tool.ts",
    find: "foreign: true,\n",
    replace: "\n",
    noticedBy: hostile,
  },
  {
    name: "mcp-sensitive",
    file: "agent/mcp/mcp-tool.ts",
    find: "{ sensitive: true }",
    replace: "{}",
    noticedBy: hostile,
  },
  {
    name: "mcp-environment",
    file: "agent/mcp/stdio-transport.ts",
    find: "return { ...Object.fromEntries(handed)",
    replace: "return { ...(from as object), ...Object.fromEntries(handed)",
    noticedBy: hostile,
  },
  {
    name: "mcp-group",
    file: "agent/mcp/stdio-transport.ts",
    find: "if (leader !== undefined) await endGroup(leader);",
    replace: "child?.kill();",
    noticedBy: hostile,
  },
  {
    name: "mcp-too-long",
    file: "agent/mcp/message-lines.ts",
    find: "if (id !== undefined) onMessage(tooLarge(id, maxBytes));",
    replace: "",
    noticedBy: hostile,
  },
  {
    name: "mcp-event-size",
    file: "agent/mcp/bounded-response.ts",
    find: "if (bytes <= maxBytes) return out.enqueue(chunk);",
    replace: "return out.enqueue(chunk);",
    noticedBy: http,
  },
  {
    name: "mcp-unavailable-own",
    file: "agent/mcp/mcp-tool.ts",
    find: "failed: true, foreign: false };",
    replace: "failed: true };",
    noticedBy: hostile,
  },
  {
    name: "mcp-user-decides",
    file: "host/decide.ts",
    find: "?? { agent: (tool as ToolPin).agent };",
    replace: '?? { agent: (tool as ToolPin).agent, user: "bo" };',
    noticedBy: ["test/mcp/doors.test.ts"],
  },
];
