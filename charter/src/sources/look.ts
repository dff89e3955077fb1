import type { Notice } from "../prompt/notice.ts";
import { grouped } from "../prompt/problem.ts";
import type { Reading } from "../prompt/reading.ts";
import type { Considered } from "./disk/considered.ts";
import type { Diagnostic } from "./disk/diagnostic.ts";

/** What looking at files gave. The same object as long as nothing changed. */
export type Look = {
  readonly reading: Reading;
  readonly considered: readonly Considered[];
  readonly diagnostics: readonly Diagnostic[];
};

/** A reading that tells its operator about the files behind it, and does not say twice why it could not be read. */
export function toldReading(reading: Reading, diagnostics: readonly Diagnostic[], most: number): Reading {
  const told = reading.status === "unavailable" ? reading.reason : "";
  const untold = diagnostics.filter(({ message }) => !told.includes(message));
  return withNotices(
    reading,
    untold.length <= most + 1
      ? untold.map(({ code, message }) => ({ code, message }))
      : [
          ...untold.slice(0, most).map(({ code, message }) => ({ code, message })),
          {
            code: "more-diagnostics",
            message: `There are ${grouped(untold.length - most)} more diagnostics: “charter files” lists them all.`,
          },
        ],
  );
}

export function withNotices(reading: Reading, notices: readonly Notice[]): Reading {
  return notices.length === 0 ? reading : { ...reading, notices: [...(reading.notices ?? []), ...notices] };
}
