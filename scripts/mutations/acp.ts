import type { Mutation } from "./mutation.ts";

const slots = ["src/delivery/acp/slot.test.ts"];
const history = ["src/delivery/acp/history-sync.test.ts"];
const identity = ["test/properties/acp-identity.test.ts"];
const faults = ["test/acp/faults.test.ts"];
const tools = ["test/acp/tools.test.ts"];
const hosts = ["test/acp/host.test.ts"];
const acting = ["test/agent/acting.test.ts"];

/** An agent over ACP: where its identity goes, what it may do, and what it is never given. */
export const acp: readonly Mutation[] = [
  {
    name: "acp-slot-order",
    file: "delivery/acp/slot.ts",
    find: `    ["system-prompt", isRecord(session.systemPrompt)],
    ["meta-append", typeof name === "string" && Object.hasOwn(known.agents, name)],
`,
    replace: `    ["meta-append", typeof name === "string" && Object.hasOwn(known.agents, name)],
    ["system-prompt", isRecord(session.systemPrompt)],
`,
    noticedBy: slots,
  },
  {
    name: "acp-slot-version",
    file: "delivery/acp/slot.ts",
    find: "version === 1 ? capabilities.sessionCapabilities : capabilities.session",
    replace: "capabilities.sessionCapabilities ?? capabilities.session",
    noticedBy: identity,
  },
  {
    name: "acp-override-unasked",
    file: "delivery/acp/session/conversation.ts",
    find: "override: entry.override === true && override",
    replace: "override",
    noticedBy: identity,
  },
  {
    name: "acp-forged-system",
    file: "delivery/acp/prompt-blocks.ts",
    find: "opensWithSystem ? withoutForgedSystem(words) : words",
    replace: "words",
    noticedBy: identity,
  },
  {
    name: "acp-rotate-changed-history",
    file: "delivery/acp/history-sync.ts",
    find: "messages > history.length || seenOf(history.slice(0, messages), sha256).digest !== digest",
    replace: "messages > history.length",
    noticedBy: identity,
  },
  {
    name: "acp-rotate-changed-identity",
    file: "delivery/acp/history-sync.ts",
    find: `  if (known.identity !== sha256(identityOf(request))) return anew("identity-changed");\n`,
    replace: "",
    noticedBy: history,
  },
  {
    name: "acp-always-option",
    file: "delivery/acp/permission.ts",
    find: `decision === "allow" ? idOf("allow_once") : undefined`,
    replace: `decision === "allow" ? (idOf("allow_always") ?? idOf("allow_once")) : undefined`,
    noticedBy: ["src/delivery/acp/permission.test.ts"],
  },
  {
    name: "acp-retry-after-sent",
    file: "delivery/acp/ask-fault.ts",
    find: `    message: redact(\`\${message}\${printed}\`, source.secrets),
    retry: false,`,
    replace: `    message: redact(\`\${message}\${printed}\`, source.secrets),
    retry: true,`,
    noticedBy: faults,
  },
  {
    name: "acp-size-limit",
    file: "delivery/acp/ask-agent.ts",
    find: `  if (size > limit) return { fault: sizeFault("The message", size, limit, source) };\n`,
    replace: "",
    noticedBy: faults,
  },
  {
    name: "acp-secret-repeated",
    file: "delivery/acp/ask-fault.ts",
    find: "`, secrets), retry: true",
    replace: "`, []), retry: true",
    noticedBy: faults,
  },
  {
    name: "acp-environment",
    file: "delivery/acp/acp-agents.ts",
    find: "{ ...(PATH === undefined ? {} : { PATH }), ...entry.env }",
    replace: "{ ...(env as Record<string, string>), ...(PATH === undefined ? {} : { PATH }), ...entry.env }",
    noticedBy: hosts,
  },
  {
    name: "acp-served",
    file: "host/create-host.ts",
    find: "throw notServed(agent.name, model);",
    replace: "void notServed(agent.name, model);",
    noticedBy: hosts,
  },
  {
    name: "acp-files-offered",
    file: "delivery/acp/wire/initialize.ts",
    find: "clientCapabilities: {}",
    replace: "clientCapabilities: { fs: { readTextFile: true } }",
    noticedBy: tools,
  },
  {
    name: "acp-own-tool-trusted",
    file: "agent/turn/acting/act-while-answering.ts",
    find: "if (!use.foreign || progress.tainted) return;",
    replace: "if (use.foreign || progress.tainted) return;",
    noticedBy: acting,
  },
  {
    name: "acp-allowed-twice",
    file: "agent/turn/acting/permission.ts",
    find: `  const approved = allowances?.shift();
  if (approved !== undefined) {
    await deps.store.calls.finish(approved, { status: "done", result: "Allowed once." });
`,
    replace: `  const approved = allowances?.[0];
  if (approved !== undefined) {
`,
    noticedBy: acting,
  },
  {
    name: "acp-asked-again-without-tools",
    file: "agent/turn/ask.ts",
    find: "const acting = act?.();",
    replace: "const acting = faults.length > 0 ? undefined : act?.();",
    noticedBy: acting,
  },
];
