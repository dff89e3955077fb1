import type { OutputSize } from "../../operations/print/columns.ts";
import type { Screen } from "../terminal/screen.ts";

/** A screen as tables know it. */
export function output({ live, width }: Screen): OutputSize {
  return live ? { isTTY: true, columns: width } : {};
}
