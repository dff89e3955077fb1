import type { FileState } from "./file.ts";

/** Why a file is not used. */
export const unusedReasons = {
  absent: "there is none",
  untrusted: "the project is not trusted",
  insteadOf: (path: string) => `${path} is used instead`,
};

/** Why what was found brings no words. */
export function unusedReasonOf({ status, diagnostics }: FileState): string {
  if (status === "unavailable") return "it cannot be read";
  if (status === "empty") return "it is empty";
  const [first] = diagnostics;
  if (first === undefined) return unusedReasons.absent;
  return first.code === "broken-link" ? "it is a link to a file that is not there" : "it is not a file";
}
