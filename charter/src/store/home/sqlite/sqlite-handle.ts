import type { DatabaseSync } from "node:sqlite";
import { Problem } from "../../../prompt/problem.ts";

/**
 * The file, opened. In a folder that nothing can be written to (a snapshot, another's project) it is opened for reading:
 * SQLite wants files of its own beside it, even to read. Where there are none nobody has it open, and it is read as it lies.
 */
export function openHandle(path: string): DatabaseSync {
  const builtIn: { DatabaseSync: typeof DatabaseSync } | undefined = process.getBuiltinModule?.("node:sqlite");
  if (builtIn === undefined)
    throw new Problem("node-too-old", `Node ${process.versions.node} has no SQLite.`, "Use Node 22.18 or newer.");
  const { existsSync } = process.getBuiltinModule("node:fs");
  const { DatabaseSync: Handle } = builtIn;
  const timeout = 5000;
  if (path === ":memory:" || mayWriteBeside(path)) return new Handle(path, { timeout });
  if (existsSync(`${path}-wal`)) return new Handle(path, { timeout, readOnly: true });
  const asItLies = process.getBuiltinModule("node:url").pathToFileURL(path);
  asItLies.searchParams.set("immutable", "1");
  return new Handle(asItLies, { timeout, readOnly: true });
}

function mayWriteBeside(path: string): boolean {
  const { accessSync, constants } = process.getBuiltinModule("node:fs");
  try {
    accessSync(process.getBuiltinModule("node:path").dirname(path), constants.W_OK);
    return true;
  } catch {
    return false;
  }
}
