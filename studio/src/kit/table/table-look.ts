/** How the cells of a compact table look. */
export const head = "px-2 py-1.5 text-left font-medium text-soft text-xs first:pl-4 last:pr-4";
export const cell = "px-2 py-1.5 align-top first:pl-4 last:pr-4";
export const figure = `${cell} text-right tabular-nums whitespace-nowrap`;
