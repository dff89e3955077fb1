import type { Problem } from "../prompt/problem.ts";

/** What is over by itself or by the operator's hand, and then works: whoever met it tries again. */
export function isTransient({ code }: Problem): boolean {
  return /^store-/.test(code) || ["disk-full", "read-only", "unreadable", "closing", "turn-exists"].includes(code);
}
