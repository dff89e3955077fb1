import { missingImport } from "../../packages/missing-package.ts";
import { Problem, reasonOf } from "../../prompt/problem.ts";
import { withTimeout } from "../timeout.ts";
import type { Extension } from "./extension.ts";
import type { FaultCode } from "./fault.ts";
import { moduleFile } from "./module-file.ts";
import { importFresh } from "./module-load.ts";

type LoadFault = { readonly code: FaultCode; readonly message: string };

/** Imports an extension and lets it set itself up; or says why it could not. */
export async function loadExtension(
  extension: Extension,
  path: string,
  api: object,
  seconds: number,
): Promise<LoadFault | undefined> {
  const late = (): LoadFault => ({ code: "load-time", message: `was not loaded within ${seconds} s.` });
  return withTimeout(
    seconds * 1000,
    extension.run(() => load(extension, path, api)),
    late,
  );
}

async function load({ reportFault }: Extension, path: string, api: object): Promise<LoadFault | undefined> {
  let factory: unknown;
  try {
    const file = moduleFile(path);
    if (file === undefined) return { code: "load-failed", message: "cannot be loaded: there is no such file." };
    const missing = (name: string) => reportFault("beyond", `asks for “${name}”, which is not here.`);
    const { default: exported } = Object(await importFresh(file, missing)) as { default?: unknown };
    factory = typeof exported === "function" ? exported : (Object(exported) as { default?: unknown }).default;
  } catch (error) {
    const missing = missingImport(error);
    if (missing !== undefined)
      return {
        code: "load-failed",
        message: `cannot be loaded: it needs the package “${missing}”, which is not installed: npm install ${missing}.`,
      };
    if (error instanceof Problem)
      return { code: "load-failed", message: `cannot be loaded: ${error.message} ${error.hint}` };
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

/** What went wrong, in which line, and of which file where it is another. Addresses are shown without the load's number. */
function whatAndWhere(error: unknown, path: string): string {
  const stack = error instanceof Error ? String(error.stack) : "";
  const reason = reasonOf(error)
    .replace(/\?charter-extension=[\d-]+/g, "")
    .trim()
    .replace(/\.$/, "");
  const [, file, line] =
    /([^/\n]+)\?charter-extension=[\d-]+:(\d+)/.exec(stack) ?? /^\/.*?([^/\n]+):(\d+)\n/.exec(stack) ?? [];
  if (file === undefined) return reason;
  const { basename } = process.getBuiltinModule("node:path");
  const { pathToFileURL } = process.getBuiltinModule("node:url");
  const own = [path, pathToFileURL(path).href].some((one) => basename(one) === file);
  return `${reason} (${own ? "" : `${file}, `}line ${line})`;
}
