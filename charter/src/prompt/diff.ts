import { checkText } from "./argument.ts";

/** Lines that stayed, were removed or were added. */
export type Hunk = { readonly kind: "same" | "removed" | "added"; readonly lines: readonly string[] };

/** Limits on the search for a difference: past this many edits, or steps on the way to them, the result is coarser. */
export type Effort = { readonly edits: number; readonly steps: number };

const usualEffort: Effort = { edits: 2000, steps: 20_000_000 };

/** Compares two texts line by line. */
export function diff(before: string, after: string): Hunk[] {
  checkText("diff", before, after);
  return differences(before === "" ? [] : before.split("\n"), after === "" ? [] : after.split("\n"));
}

/**
 * Finds what changed between two lists of lines or words (Myers), after setting the common beginning and end aside. Where that
 * takes too long the middle is shown as replaced whole: still true, only coarser.
 */
export function differences(a: readonly string[], b: readonly string[], effort: Effort = usualEffort): Hunk[] {
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start++;
  let end = 0;
  while (end < a.length - start && end < b.length - start && a[a.length - 1 - end] === b[b.length - 1 - end]) end++;
  return merged([
    { kind: "same", lines: a.slice(0, start) },
    ...middleHunks(a.slice(start, a.length - end), b.slice(start, b.length - end), effort),
    { kind: "same", lines: end === 0 ? [] : a.slice(-end) },
  ]);
}

function middleHunks(a: readonly string[], b: readonly string[], effort: Effort): Hunk[] {
  const coarse: Hunk[] = [
    { kind: "removed", lines: a },
    { kind: "added", lines: b },
  ];
  if (a.length === 0 || b.length === 0) return coarse;
  const trace: Int32Array[] = [];
  // Index that each diagonal k was followed to with this many edits; k stands at k + edits + 1.
  let reach = new Int32Array(3);
  let steps = effort.steps;
  for (let edits = 0; edits <= Math.min(a.length + b.length, effort.edits) && steps > 0; edits++) {
    const next = new Int32Array(2 * edits + 5);
    trace.push(reach);
    for (let k = -edits; k <= edits; k += 2) {
      let x = fromAbove(reach, k, edits) ? at(reach, k + 1, edits) : at(reach, k - 1, edits) + 1;
      const from = x;
      while (x < a.length && x - k < b.length && a[x] === b[x - k]) x++;
      next[k + edits + 2] = x;
      if (x >= a.length && x - k >= b.length) return backtrack(a, b, trace, edits);
      steps -= x - from + 1;
    }
    reach = next;
  }
  return coarse;
}

function at(reach: Int32Array, k: number, edits: number): number {
  return reach[k + edits + 1] as number;
}

/** Tells whether the last edit on the way to this diagonal was an addition, not a removal. */
function fromAbove(reach: Int32Array, k: number, edits: number): boolean {
  return k === -edits || (k !== edits && at(reach, k - 1, edits) < at(reach, k + 1, edits));
}

function backtrack(a: readonly string[], b: readonly string[], trace: readonly Int32Array[], edits: number): Hunk[] {
  const back: Hunk[] = [];
  let x = a.length;
  let y = b.length;
  for (let step = edits; step >= 0; step--) {
    const reach = trace[step] as Int32Array;
    const k = x - y;
    const down = fromAbove(reach, k, step);
    const fromX = step === 0 ? 0 : at(reach, down ? k + 1 : k - 1, step);
    const fromY = step === 0 ? 0 : fromX - (down ? k + 1 : k - 1);
    const turn = step === 0 ? 0 : down ? fromX : fromX + 1;
    while (x > turn) {
      x--;
      y--;
      back.push({ kind: "same", lines: [a[x] as string] });
    }
    if (step === 0) break;
    back.push(down ? { kind: "added", lines: [b[fromY] as string] } : { kind: "removed", lines: [a[fromX] as string] });
    x = fromX;
    y = fromY;
  }
  return back.reverse();
}

function merged(hunks: readonly Hunk[]): Hunk[] {
  const out: { kind: Hunk["kind"]; lines: string[] }[] = [];
  for (const { kind, lines } of hunks) {
    if (lines.length === 0) continue;
    const last = out.at(-1);
    if (last?.kind === kind) for (const line of lines) last.lines.push(line);
    else out.push({ kind, lines: [...lines] });
  }
  return out;
}

/** Compares two texts and prints the result as a unified diff with three lines of context; empty if nothing changed. */
export function unified(before: string, after: string, name: string): string {
  const context = 3;
  const rows = diff(before, after).flatMap(({ kind, lines }) => lines.map((line) => ({ kind, line })));
  const isNear = new Array<boolean>(rows.length).fill(false);
  rows.forEach(({ kind }, at) => {
    if (kind !== "same") isNear.fill(true, Math.max(0, at - context), at + context + 1);
  });
  let out = "";
  let a = 1;
  let b = 1;
  for (let at = 0; at < rows.length; ) {
    let end = at;
    if (!isNear[at]) {
      while (end < rows.length && !isNear[end]) end++;
      a += end - at;
      b += end - at;
    } else {
      while (end < rows.length && isNear[end]) end++;
      const chunk = rows.slice(at, end);
      const removed = chunk.filter(({ kind }) => kind !== "added").length;
      const added = chunk.filter(({ kind }) => kind !== "removed").length;
      out += `@@ -${removed === 0 ? a - 1 : a},${removed} +${added === 0 ? b - 1 : b},${added} @@\n`;
      for (const { kind, line } of chunk) out += `${{ same: " ", removed: "-", added: "+" }[kind]}${line}\n`;
      a += removed;
      b += added;
    }
    at = end;
  }
  return out === "" ? "" : `--- ${name} (before)\n+++ ${name} (after)\n${out}`;
}
