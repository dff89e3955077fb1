import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { root } from "../fetched-package.ts";
import { installedModules } from "../installed-modules.ts";

/** The modules of other people's frameworks, as the lockfile beside this file has them, with this clone's Charter among them. */
export function frameworkModules(): Promise<string | { readonly absent: string }> {
  const link = (modules: string) => symlinkSync(join(root, "charter"), join(modules, "charter"));
  return installedModules(import.meta.dirname, "frameworks", link);
}
