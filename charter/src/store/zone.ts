import { Problem } from "../prompt/problem.ts";

export function isZone(zone: string): boolean {
  try {
    new Intl.DateTimeFormat("en", { timeZone: zone });
    return true;
  } catch {
    return false;
  }
}

export function checkZone(zone: string): void {
  if (!isZone(zone)) throw new Problem("bad-zone", `“${zone}” is no time zone.`, "Give one like Europe/Berlin or UTC.");
}
