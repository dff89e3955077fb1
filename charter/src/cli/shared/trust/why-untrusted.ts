import { listed } from "../../../prompt/problem.ts";
import { pathLine } from "../../../sources/disk/path-line.ts";
import type { SettingsFile } from "../../../sources/trust/trust.ts";

type Untrusted = Pick<SettingsFile, "trust" | "changed">;

/** Why a settings file is not used, or a charter's file: `place` is what was trusted. */
export function whyUntrusted({ trust, changed }: Untrusted, place = "the directory"): string {
  if (trust === "new") return `it was not there when ${place} was trusted`;
  if (trust !== "changed") return `${place} is not trusted`;
  if (changed.length === 0) return "it names more files than can be compared";
  return `it is not what it was when it was trusted (changed, new or gone: ${listed(changed.map(pathLine))})`;
}
