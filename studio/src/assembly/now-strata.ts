import type { NextRequestAnswer } from "charter/answers";

/** The sections of what goes out now, as a picture: the prefix, then what follows the cached part. */
export function nowStrata({ parts }: Pick<NextRequestAnswer, "parts">) {
  const order = { system: 0, update: 1, state: 2 } as const;
  return [...parts]
    .sort((one, other) => order[one.slot] - order[other.slot])
    .flatMap(({ slot, sections }) =>
      sections.map((section) => ({ ...section, tail: slot !== "system", isUpdate: slot === "update" })),
    );
}
