import { grouped } from "../prompt/problem.ts";
import type { Notice, Reading } from "../prompt/reading.ts";
import type { ConsideredFile } from "./disk/considered-file.ts";
import type { Diagnostic } from "./disk/diagnostic.ts";

/** What looking at files gave. The same object as long as nothing changed. */
export type FileFindings = {
  readonly reading: Reading;
  readonly considered: readonly ConsideredFile[];
  readonly diagnostics: readonly Diagnostic[];
};

/** A reading that tells its operator about the files behind it, and does not say twice why it could not be read. */
export function withDiagnostics(reading: Reading, diagnostics: readonly Diagnostic[], limit: number): Reading {
  const told = reading.status === "unavailable" ? reading.reason : "";
  const untold = diagnostics.filter(({ message }) => !told.includes(message));
  return withNotices(
    reading,
    untold.length <= limit + 1
      ? untold.map(({ code, message }) => ({ code, message }))
      : [
          ...untold.slice(0, limit).map(({ code, message }) => ({ code, message })),
          {
            code: "more-diagnostics",
            message: `There are ${grouped(untold.length - limit)} more diagnostics: “charter files” lists them all.`,
          },
        ],
  );
}

export function withNotices(reading: Reading, notices: readonly Notice[]): Reading {
  return notices.length === 0 ? reading : { ...reading, notices: [...(reading.notices ?? []), ...notices] };
}
