import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { cachedPackage, fetchedPackage, holds, root } from "./fetched-package.ts";
import { tier } from "./tiers/tier.ts";

/**
 * pi, whose prompt the coding agent's is held against: one file of its npm package, without the 190 packages the rest
 * of it needs. It is used from bench/ where that is installed, else from a cache; else the search fetches it into the cache.
 */

const pi = {
  name: "@mariozechner/pi-coding-agent",
  version: "0.57.1",
  integrity: "u5MQEduj68rwVIsRsqrWkJYiJCyPph/a6bMoJAQKo1sb+Pc17Y/ojwa+wGssnUMjEB38AQKofWTVe8NFEpSWNw==",
};
const inBench = join(root, "bench/node_modules", pi.name);

export type PiSkill = {
  readonly name: string;
  readonly description: string;
  readonly filePath: string;
  readonly disableModelInvocation: boolean;
};

export type PiOptions = {
  readonly customPrompt?: string;
  readonly selectedTools?: readonly string[];
  readonly toolSnippets?: Readonly<Record<string, string>>;
  readonly promptGuidelines?: readonly string[];
  readonly appendSystemPrompt?: string;
  readonly cwd?: string;
  readonly contextFiles?: readonly { readonly path: string; readonly content: string }[];
  readonly skills?: readonly PiSkill[];
};

export type Pi = { readonly buildSystemPrompt: (options?: PiOptions) => string };

/** pi's builder, or why it cannot be had. */
export async function loadPi(): Promise<Pi | { readonly absent: string }> {
  try {
    const folder = holds(inBench, pi) ? inBench : await (tier === "logic" ? cachedPackage : fetchedPackage)(pi);
    return (await import(/* @vite-ignore */ pathToFileURL(join(folder, "dist/core/system-prompt.js")).href)) as Pi;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return { absent: `${pi.name}@${pi.version} cannot be had: ${reason}` };
  }
}
