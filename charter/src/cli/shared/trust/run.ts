let run = 0;

/** A command begins, or it was just said what is trusted: what was found out before is looked at again. */
export function lookAnew(): void {
  run++;
}

/** Which run of a command this is, in a process that has several. */
export function runNumber(): number {
  return run;
}
