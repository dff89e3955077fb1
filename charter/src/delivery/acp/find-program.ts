import { accessSync, constants, statSync } from "node:fs";
import { delimiter, join, resolve } from "node:path";

/** Where a program is, as a system that starts it in this directory would find it; undefined where it is not. */
export function findProgram(program: string, PATH: string | undefined, directory: string): string | undefined {
  if (/[\\/]/.test(program)) return [resolve(directory, program)].find(isProgram);
  const folders = (PATH ?? "").split(delimiter).filter((folder) => folder !== "");
  return folders.map((folder) => join(resolve(directory, folder), program)).find(isProgram);
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
