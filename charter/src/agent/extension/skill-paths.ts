import { listed, reasonOf } from "../../prompt/problem.ts";
import { withTimeout } from "../timeout.ts";
import type { Extension } from "./extension.ts";
import { sentence } from "./fault.ts";

type DiscoverSkillsOptions = {
  readonly cwd: string;
  readonly reason: "startup" | "reload";
  readonly seconds: number;
};

/** Asks every extension for skills it brings: absolute paths of their files or directories. */
export async function discoverSkills(
  extensions: readonly Extension[],
  discovery: DiscoverSkillsOptions,
): Promise<string[]> {
  const paths: string[] = [];
  for (const extension of extensions)
    for (const { event, handler } of [...extension.handlers])
      if (event === "resources_discover") paths.push(...(await askHandler(extension, handler, discovery)));
  return [...new Set(paths)];
}

const nothing = Symbol("nothing");

async function askHandler(
  { reportFault, ctx, run }: Extension,
  handler: (event: never, ctx: object) => unknown,
  { cwd, reason, seconds }: DiscoverSkillsOptions,
): Promise<string[]> {
  const failed = (because: string) => {
    reportFault("handler-failed", sentence(`failed at resources_discover: ${because}`));
    return nothing;
  };
  const ask = async () => run(() => handler({ type: "resources_discover", cwd, reason } as never, ctx));
  const late = (): unknown => failed(`it did not answer in ${seconds} s`);
  const answer = await withTimeout(seconds * 1000, ask(), late).catch((error) =>
    failed(`it threw: ${reasonOf(error)}`),
  );
  if (answer === nothing || answer === undefined || answer === null || answer === false) return [];
  const { skillPaths = [], promptPaths = [], themePaths = [] } = Object(answer) as Record<string, unknown>;
  const lists = { skillPaths, promptPaths, themePaths };
  const odd = Object.entries(lists).filter(([, list]) => !isListOfTexts(list));
  if (typeof answer !== "object" || odd.length > 0) {
    const what =
      typeof answer === "object"
        ? `${listed(odd.map(([name]) => name))} is no list of texts`
        : `it answered ${typeof answer}`;
    failed(what);
    return [];
  }
  if ((promptPaths as string[]).length > 0) reportFault("beyond", "brings “promptPaths”, which are not here.");
  if ((themePaths as string[]).length > 0) reportFault("beyond", "brings “themePaths”, which are not here.");
  return (skillPaths as string[]).map((path) => absolute(cwd, path));
}

function isListOfTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every((one) => typeof one === "string");
}

function absolute(cwd: string, path: string): string {
  const { resolve } = process.getBuiltinModule("node:path");
  const home = process.getBuiltinModule("node:os").homedir();
  return resolve(cwd, /^~(?=\/|$)/.test(path) ? home + path.slice(1) : path);
}
