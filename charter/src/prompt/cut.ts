/**
 * What a section gave up to fit: its form now, how much is kept and missing, and why. “shortened”: the parts that are
 * missing stand there in their short form.
 */
export type Cut = {
  readonly section: string;
  readonly form: "shorter" | "shortened" | "compact" | "dropped";
  readonly kept: number;
  readonly missing: number;
  /** What `kept` and `missing` count: characters, or parts by their kind. */
  readonly unit: string;
  readonly because: string;
};

/** A section that is not in the prompt, and the reason. */
export type Omission = {
  readonly name: string;
  readonly reason: "empty" | "unavailable" | "gave-way" | "not-in-edition";
};

/** What the model is told of a cut. */
export function toldText(told: string, kept: number, missing: number): string {
  return told.replaceAll("{kept}", String(kept)).replaceAll("{missing}", String(missing));
}
