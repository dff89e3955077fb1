import { requirePackage } from "../../packages/load-package.ts";
import { Problem } from "../../prompt/problem.ts";
import type { OnUse } from "./unsupported.ts";

/** What extensions written for pi import: these names are real, all others are only reported. */
const packages: Readonly<Record<string, () => Readonly<Record<string, unknown>>>> = {
  "@sinclair/typebox": () => typebox(),
  "@mariozechner/pi-ai": () => ({ Type: typebox().Type, StringEnum: stringEnum }),
  "@mariozechner/pi-agent-core": () => ({}),
  "@mariozechner/pi-coding-agent": () => guards,
  "@mariozechner/pi-tui": () => ({ Key: keys }),
};

export function isPiModule(specifier: string): boolean {
  return Object.hasOwn(packages, specifier) || specifier.startsWith("@mariozechner/pi-");
}

/** The real names of a module. */
export function piNames(specifier: string): Readonly<Record<string, unknown>> {
  return Object.hasOwn(packages, specifier) ? (packages[specifier]?.() ?? {}) : {};
}

/** A name of such a module: the real thing, or one that can be imported and extended, but neither called nor made. */
export function piName(specifier: string, name: string, missing: OnUse): unknown {
  const real = piNames(specifier);
  if (Object.hasOwn(real, name)) return real[name];
  missing(`${name}” of “${specifier}`);
  return missingName(specifier, name);
}

function missingName(specifier: string, name: string): unknown {
  // A function, since classes are made from it; an arrow cannot be extended.
  const absent = function absent() {
    throw new Problem(
      "extension-import",
      `“${name}” of “${specifier}” is not here.`,
      "Do without it, or run the extension in pi.",
    );
  };
  return new Proxy(absent, {
    get: (target, key) =>
      typeof key === "symbol" || key === "then" || key in target
        ? Reflect.get(target, key)
        : missingName(specifier, `${name}.${key}`),
  });
}

function typebox(): typeof import("@sinclair/typebox") {
  return requirePackage("@sinclair/typebox", { purpose: "Writing schemas with typebox" });
}

/** An enum in the one form every provider reads. */
function stringEnum(values: readonly string[], options: { description?: string; default?: string } = {}): unknown {
  const { description, default: usual } = options;
  return typebox().Type.Unsafe({
    type: "string",
    enum: [...values],
    ...(description ? { description } : {}),
    ...(usual ? { default: usual } : {}),
  });
}

const ofTool = (tool: string) => (event: { readonly toolName?: unknown }) => event.toolName === tool;

const guards = {
  isToolCallEventType: (tool: string, event: { readonly toolName?: unknown }) => event.toolName === tool,
  isBashToolResult: ofTool("bash"),
  isReadToolResult: ofTool("read"),
  isEditToolResult: ofTool("edit"),
  isWriteToolResult: ofTool("write"),
  isGrepToolResult: ofTool("grep"),
  isFindToolResult: ofTool("find"),
  isLsToolResult: ofTool("ls"),
};

/** Keys are named so that a shortcut can be asked for, and reported: Key.ctrlAlt("p") is ctrl+alt+p. */
const keys = new Proxy<Record<string, unknown>>(
  {},
  {
    get: (_target, name) => {
      if (typeof name === "symbol" || name === "then") return undefined;
      const together = name.replace(/[A-Z]/g, (letter) => `+${letter.toLowerCase()}`);
      return /^(?:ctrl|shift|alt)/.test(name) ? (key: string) => `${together}+${key}` : name;
    },
  },
);
