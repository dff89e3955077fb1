import { sectionMutability } from "../../prompt/charter.ts";
import type { Guard } from "../guard.ts";

/**
 * Guard: where a section says `approvedBy: "operator"`, what anyone else changes waits for the operator. `amend` asks it of
 * every change: what a charter declares holds whichever guards its rules bring.
 */
export const approvedBy: Guard = ({ placed, actor }) => {
  const mutability = sectionMutability(placed.section, placed.layer);
  if (typeof mutability !== "object" || mutability.approvedBy === undefined || actor === "operator") return undefined;
  return {
    guard: "approved-by",
    because: `The operator approves every change of “${placed.section.name}” by others.`,
    holds: true,
  };
};
