import { Problem } from "./problem.ts";

/** How much of a charter a prompt contains: everything, or the compact form for small context windows. */
export type Edition = "full" | "compact";

export function parseEdition(name: string): Edition {
  if (name === "full" || name === "compact") return name;
  throw new Problem("unknown-edition", `There is no edition “${name}”.`, "The editions are full and compact.");
}
