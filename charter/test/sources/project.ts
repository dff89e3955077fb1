import { coder } from "../../src/charters/coder/coder.ts";
import { assemble, gather, type Prompt } from "../../src/index.ts";
import { openProject, type Project, type ProjectOptions } from "../../src/sources/project.ts";
import type { Place } from "./place.ts";

export const turn = {
  now: "2026-03-07T14:55:05Z",
  zone: "America/Chicago",
  tools: [{ name: "read" }, { name: "bash" }],
  standing: {},
};

/** `work/app` is worked in, `home` is the global agent directory. */
export function projectIn(place: Place, options: Partial<ProjectOptions> = {}): Project & { readonly cwd: string } {
  const cwd = options.cwd ?? place.folder("work/app");
  const home = place.folder("home");
  return { ...openProject({ home, config: ".charter", trusted: true, ...options, cwd }), cwd };
}

/** The prompt of a coding agent there. */
export async function promptOf(project: Project & { readonly cwd: string }): Promise<Prompt> {
  const { charter } = coder(project);
  return assemble(charter, await gather(charter, turn));
}

export function skill(name: string, description = `What ${name} does`): string {
  return `---\nname: ${name}\ndescription: ${description}\n---\n\n# ${name}\n`;
}
