import { isRecord } from "../../prompt/argument.ts";
import { listed, Problem } from "../../prompt/problem.ts";

type Check = readonly [isSound: (value: unknown) => boolean, what: string];

const permissions = new Set(["allow", "deny", "hold"]);
const kinds = "default read edit delete move search execute think fetch switch_mode other".split(" ");
const isSwitch: Check = [(value) => typeof value === "boolean", "is neither true nor false"];
const isCount: Check = [
  (value) => Number.isSafeInteger(value) && (value as number) > 0,
  "is no whole number from 1 up",
];

const fields: Readonly<Record<string, Check>> = {
  command: [
    (value) => Array.isArray(value) && value.length > 0 && value.every((one) => isText(one)),
    'is no list of words, as in ["npx", "claude-agent-acp"]',
  ],
  env: [
    (value) => isRecord(value) && Object.values(value).every((one) => typeof one === "string"),
    "is no object of texts",
  ],
  cwd: [isText, "is no path"],
  permissions: [
    (value) =>
      permissions.has(value as string) ||
      (isRecord(value) &&
        Object.entries(value).every(([kind, one]) => kinds.includes(kind) && permissions.has(one as string))),
    `is none of ${listed(permissions)}, nor one of them for each kind of tool (${kinds.join(", ")})`,
  ],
  served: isSwitch,
  foreign: isSwitch,
  tools: isSwitch,
  override: isSwitch,
  sizeLimit: [
    (value) => Number.isSafeInteger(value) && (value as number) >= 4096,
    "is no whole number of bytes from 4096 up",
  ],
  turnsPerSession: isCount,
  authenticate: [isText, "is no id of a way to sign in"],
};

/** The setting `acp`: how each agent is started. Values are never repeated: an environment may hold a key. */
export function checkAcp(acp: unknown, path: string): void {
  if (!isRecord(acp)) throw bad(`The setting “acp” in ${path} is no object.`);
  for (const [name, entry] of Object.entries(acp)) {
    if (!/^[a-z0-9][a-z0-9._-]{0,39}$/i.test(name))
      throw bad(`“${name}” in the setting “acp” in ${path} is no name: 1 to 40 letters, digits, “-”, “_”, “.”.`);
    if (!isRecord(entry)) throw bad(`The setting “acp.${name}” in ${path} is no object.`);
    if (entry.command === undefined) throw bad(`The setting “acp.${name}” in ${path} has no command.`);
    for (const [field, value] of Object.entries(entry)) {
      const check = Object.hasOwn(fields, field) ? fields[field] : undefined;
      if (!check)
        throw bad(
          `${path} sets “acp.${name}.${field}”, which is not a setting. Those are ${Object.keys(fields).join(", ")}.`,
        );
      if (value !== undefined && !check[0](value))
        throw bad(`The setting “acp.${name}.${field}” in ${path} ${check[1]}.`);
    }
  }
}

function bad(message: string): Problem {
  return new Problem(
    "bad-config",
    message,
    'As in acp: { claude: { command: ["claude-agent-acp"] } }: docs/acp.md#settings.',
  );
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value.trim() !== "" && !value.includes("\0");
}
