import { reasonOf } from "../../prompt/problem.ts";
import { within } from "../patience.ts";
import { type Extension, extensionName } from "./extension.ts";
import type { FaultCode } from "./fault.ts";
import { moduleFile } from "./module-file.ts";
import { importAnew } from "./module-load.ts";

type Trouble = { readonly code: FaultCode; readonly message: string };

/** Imports an extension and lets it set itself up; or says why it could not. */
export async function loadExtension(
  extension: Extension,
  path: string,
  api: object,
  seconds: number,
): Promise<Trouble | undefined> {
  const late = (): Trouble => ({ code: "load-time", message: `was not loaded within ${seconds} s.` });
  return within(seconds * 1000, load(extension, path, api), late);
}

async function load({ accuse }: Extension, path: string, api: object): Promise<Trouble | undefined> {
  let factory: unknown;
  try {
    const file = moduleFile(path);
    if (file === undefined) return { code: "load-failed", message: "cannot be loaded: there is no such file." };
    const missing = (name: string) => accuse("beyond", `asks for “${name}”, which is not here.`);
    const { default: exported } = Object(await importAnew(file, missing)) as { default?: unknown };
    factory = typeof exported === "function" ? exported : (Object(exported) as { default?: unknown }).default;
  } catch (error) {
    return { code: "load-failed", message: `cannot be loaded: ${whatAndWhere(error, path)}.` };
  }
  if (typeof factory !== "function")
    return { code: "no-default", message: "has no function as its default export: export default (api) => { … }." };
  try {
    await factory(api);
    return undefined;
  } catch (error) {
    return { code: "load-failed", message: `threw while it was loaded: ${whatAndWhere(error, path)}.` };
  }
}

/** What went wrong, in which line. Addresses are shown without the number of the load. */
function whatAndWhere(error: unknown, path: string): string {
  const plain = (words: string) => words.replace(/\?charter-extension=[\d-]+/g, "");
  const stack = plain(error instanceof Error ? String(error.stack) : "");
  const line = stack.split(`${extensionName(path)}:`)[1]?.match(/^\d+/)?.[0];
  const reason = plain(reasonOf(error)).trim().replace(/\.$/, "");
  return line === undefined ? reason : `${reason} (line ${line})`;
}
