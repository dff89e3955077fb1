import type { Wanted } from "../../assembly/assembled.ts";

/** What the address asks the prompt for. What means nothing is not asked. */
export function wantedOf(agent: string, asked: (key: string) => string | undefined): Wanted {
  const edition = asked("edition");
  const tokens = asked("tokens");
  return {
    agent,
    user: asked("user"),
    channel: asked("channel"),
    at: asked("at"),
    edition: edition === "full" || edition === "compact" ? edition : undefined,
    tokens: tokens !== undefined && /^\d{1,9}$/.test(tokens) ? Number(tokens) : undefined,
  };
}

/** An instant as a field for a date and a time has it, in the zone of whoever looks. */
export function localTime(at: string | undefined): string {
  const when = at === undefined ? undefined : new Date(at);
  if (when === undefined || Number.isNaN(when.getTime())) return "";
  return new Date(when.getTime() - when.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

export function instant(local: string): string | undefined {
  const when = new Date(local);
  return local === "" || Number.isNaN(when.getTime()) ? undefined : when.toISOString();
}

/** One step of the limit: fine enough to see each change, coarse enough to get somewhere by keys. */
export function stepFor(least: number, whole: number): number {
  const wish = (whole - least) / 200;
  return [1, 2, 5, 10, 25, 50, 100, 250, 500, 1_000].findLast((step) => step <= wish) ?? 1;
}
