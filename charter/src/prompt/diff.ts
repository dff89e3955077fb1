/** A stretch of lines that stayed, went or came. */
export type Hunk = { readonly kind: "same" | "removed" | "added"; readonly lines: readonly string[] };

/** Past this many differences the middle is shown as replaced whole: still true, only coarser. */
const mostEdits = 2000;

/** What changed between two texts, line by line (Myers), after the common beginning and end were set aside. */
export function diff(before: string, after: string): Hunk[] {
  const a = before === "" ? [] : before.split("\n");
  const b = after === "" ? [] : after.split("\n");
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start++;
  let end = 0;
  while (end < a.length - start && end < b.length - start && a[a.length - 1 - end] === b[b.length - 1 - end]) end++;
  return merged([
    { kind: "same", lines: a.slice(0, start) },
    ...middle(a.slice(start, a.length - end), b.slice(start, b.length - end)),
    { kind: "same", lines: end === 0 ? [] : a.slice(-end) },
  ]);
}

function middle(a: readonly string[], b: readonly string[]): Hunk[] {
  const coarse: Hunk[] = [
    { kind: "removed", lines: a },
    { kind: "added", lines: b },
  ];
  if (a.length === 0 || b.length === 0) return coarse;
  const trace: Map<number, number>[] = [];
  let reach = new Map([[1, 0]]);
  for (let edits = 0; edits <= Math.min(a.length + b.length, mostEdits); edits++) {
    const next = new Map<number, number>();
    for (let k = -edits; k <= edits; k += 2) {
      const down = k === -edits || (k !== edits && (reach.get(k - 1) ?? -1) < (reach.get(k + 1) ?? -1));
      let x = down ? (reach.get(k + 1) ?? 0) : (reach.get(k - 1) ?? 0) + 1;
      while (x < a.length && x - k < b.length && a[x] === b[x - k]) x++;
      next.set(k, x);
      if (x >= a.length && x - k >= b.length) return backtrack(a, b, [...trace, reach], edits);
    }
    trace.push(reach);
    reach = next;
  }
  return coarse;
}

function backtrack(
  a: readonly string[],
  b: readonly string[],
  trace: readonly Map<number, number>[],
  edits: number,
): Hunk[] {
  const back: Hunk[] = [];
  let x = a.length;
  let y = b.length;
  for (let step = edits; step >= 0; step--) {
    const reach = trace[step] as Map<number, number>;
    const k = x - y;
    const down = k === -step || (k !== step && (reach.get(k - 1) ?? -1) < (reach.get(k + 1) ?? -1));
    const fromX = step === 0 ? 0 : (reach.get(down ? k + 1 : k - 1) ?? 0);
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

/** The same as text, in the unified form everyone reads: three lines around each change. Nothing changed: nothing. */
export function unified(before: string, after: string, name: string): string {
  const context = 3;
  const rows = diff(before, after).flatMap(({ kind, lines }) => lines.map((line) => ({ kind, line })));
  const near = new Array<boolean>(rows.length).fill(false);
  rows.forEach(({ kind }, at) => {
    if (kind !== "same") near.fill(true, Math.max(0, at - context), at + context + 1);
  });
  let out = "";
  let a = 1;
  let b = 1;
  for (let at = 0; at < rows.length; ) {
    let end = at;
    if (!near[at]) {
      while (end < rows.length && !near[end]) end++;
      a += end - at;
      b += end - at;
    } else {
      while (end < rows.length && near[end]) end++;
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
