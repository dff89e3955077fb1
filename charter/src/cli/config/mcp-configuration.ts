import { serverName } from "../../agent/mcp/mcp-entry.ts";
import { isRecord } from "../../prompt/argument.ts";
import { Problem } from "../../prompt/problem.ts";

type Check = readonly [isSound: (value: unknown) => boolean, what: string];

const texts = (value: unknown) => isRecord(value) && Object.values(value).every((one) => typeof one === "string");
const names = (value: unknown) => Array.isArray(value) && value.every(isText);

const common: Readonly<Record<string, Check>> = {
  reads: [(value) => value === "annotated" || names(value), 'is no list of names, as in ["read_*"], nor "annotated"'],
  pin: [(value) => value === "screen" || value === "ask", 'is neither "screen" nor "ask"'],
  sensitive: [(value) => typeof value === "boolean", "is neither true nor false"],
  seconds: [(value) => typeof value === "number" && value >= 1 && value <= 3600, "is no number from 1 to 3600"],
};

const fields: Readonly<Record<"command" | "url", Readonly<Record<string, Check>>>> = {
  command: {
    command: [(value) => names(value) && (value as []).length > 0, 'is no list of words, as in ["npx", "server"]'],
    env: [(value) => texts(value) || names(value), "is neither an object of texts nor a list of names"],
    cwd: [isText, "is no path"],
    ...common,
  },
  url: {
    url: [(value) => isText(value) && isAddress(value), "is no address that begins with http:// or https://"],
    headers: [texts, "is no object of texts"],
    ...common,
  },
};

/** The setting `mcp`: how each server is reached. Values are never repeated: a header may hold a key. */
export function checkMcp(mcp: unknown, path: string): void {
  if (!isRecord(mcp)) throw bad(`The setting “mcp” in ${path} is no object.`);
  for (const [name, entry] of Object.entries(mcp)) {
    if (!serverName.test(name))
      throw bad(`“${name}” in the setting “mcp” in ${path} is no name: 1 to 24 small letters, digits and “-”.`);
    if (!isRecord(entry)) throw bad(`The setting “mcp.${name}” in ${path} is no object.`);
    if ((entry.command === undefined) === (entry.url === undefined))
      throw bad(`The setting “mcp.${name}” in ${path} has to have a command or a url, and not both.`);
    const known = fields[entry.url === undefined ? "command" : "url"];
    for (const [field, value] of Object.entries(entry)) {
      const check = Object.hasOwn(known, field) ? known[field] : undefined;
      if (!check)
        throw bad(
          `${path} sets “mcp.${name}.${field}”, which is not a setting. Those are ${Object.keys(known).join(", ")}.`,
        );
      if (value !== undefined && !check[0](value))
        throw bad(`The setting “mcp.${name}.${field}” in ${path} ${check[1]}.`);
    }
  }
}

function bad(message: string): Problem {
  return new Problem("bad-config", message, 'As in mcp: { notes: { url: "https://…/mcp" } }: docs/mcp.md#settings.');
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value.trim() !== "" && !value.includes("\0");
}

/** A password in an address would stand in every log that names it. */
function isAddress(value: string): boolean {
  if (!/^https?:\/\/[^/]/.test(value) || !URL.canParse(value)) return false;
  const { username, password } = new URL(value);
  return username === "" && password === "";
}
