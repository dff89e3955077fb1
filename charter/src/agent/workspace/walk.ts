import { type Dirent, readdirSync } from "node:fs";
import { join } from "node:path";
import { setImmediate as breathe } from "node:timers/promises";
import { openFolder } from "./folder-handle.ts";
import { type GitignoreRules, gitignoreRules } from "./gitignore-rules.ts";
import type { Workspace } from "./workspace.ts";

export type WalkEntry = { readonly real: string; readonly kind: "file" | "folder" | "link" | "other" };

/**
 * All that lies below a directory, in the order of names: hidden files too, but neither `.git` nor what .gitignore files
 * exclude, nor what is protected. Links are named and not followed, so there is no way out and no way round in circles.
 */
export async function* walk(workspace: Workspace, start: string, signal: AbortSignal): AsyncGenerator<WalkEntry> {
  const isProtected = workspace.protection();
  const open = (folder: string, rules: GitignoreRules) => ({
    folder,
    rules,
    entries: entriesOf(workspace, folder).values(),
  });
  const path = [open(start, gitignoreRules(start, workspace.root))];
  for (let seen = 1; !signal.aborted; seen++) {
    if (seen % 256 === 0) await breathe();
    const here = path.at(-1);
    if (!here) return;
    const { value: found } = here.entries.next();
    if (!found) {
      path.pop();
      continue;
    }
    const real = join(here.folder, found.name);
    if (found.name === ".git" || here.rules.ignores(real, found.isDirectory()) || isProtected(real)) continue;
    const kind = kindOf(found);
    yield { real, kind };
    if (kind === "folder") path.push(open(real, here.rules.within(real)));
  }
}

export function kindOf(found: Dirent): WalkEntry["kind"] {
  if (found.isDirectory()) return "folder";
  if (found.isFile()) return "file";
  return found.isSymbolicLink() ? "link" : "other";
}

/** What cannot be listed, or is another by now, has nothing in it. */
function entriesOf(workspace: Workspace, folder: string): Dirent[] {
  try {
    return listFolder(workspace, folder, folder);
  } catch {
    return [];
  }
}

/** By code units: the same everywhere, whatever the language of the machine. */
export function listFolder(workspace: Workspace, real: string, asked: string): Dirent[] {
  const folder = openFolder(workspace, real, { asked, use: "read" });
  try {
    const entries = readdirSync(folder.at, { withFileTypes: true });
    return entries.sort((one, other) => (one.name < other.name ? -1 : one.name > other.name ? 1 : 0));
  } finally {
    folder.close();
  }
}
