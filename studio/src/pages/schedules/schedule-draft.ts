/** A schedule as it is filled in: every field is text, as fields of a form are. */
export type Draft = {
  readonly title: string;
  readonly user: string;
  readonly input: string;
  readonly once: boolean;
  readonly cron: string;
  /** A local time, as the zone's clock has it. */
  readonly at: string;
  readonly zone: string;
  readonly missed: "once" | "skip";
  readonly overlap: "skip" | "queue";
  readonly maxTries: string;
};

export const blank: Draft = {
  title: "",
  user: "",
  input: "",
  once: false,
  cron: "0 8 * * 1-5",
  at: "",
  zone: "",
  missed: "once",
  overlap: "skip",
  maxTries: "3",
};

/** What the server is asked for: what was left empty is left out. */
export function bodyOf({ once, cron, at, user, zone, maxTries, ...rest }: Draft): Readonly<Record<string, unknown>> {
  return {
    ...rest,
    ...(once ? { at } : { cron: cron.trim() }),
    ...(user === "" ? {} : { user }),
    ...(zone.trim() === "" ? {} : { zone: zone.trim() }),
    ...(maxTries === "" ? {} : { maxTries: Number(maxTries) }),
  };
}
