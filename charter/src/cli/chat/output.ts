import type { Screen } from "../../channels/terminal/screen.ts";
import type { Output } from "../columns.ts";

/** A screen as tables know it. */
export function output({ live, width }: Screen): Output {
  return live ? { isTTY: true, columns: width } : {};
}
