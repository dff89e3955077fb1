import { sectionMutability } from "../../prompt/charter.ts";
import { bareGuard } from "../guard.ts";

/** Guard: only the actors that a section's layer names may change it. Fixed and live sections are changed by nobody. */
export const allowedHand = bareGuard("allowedHand", ({ placed, actor }) => {
  const mutability = sectionMutability(placed.section, placed.layer);
  const name = placed.section.name;
  if (mutability === "fixed") return no(`“${name}” is fixed: it cannot be changed while the agent runs.`);
  if (mutability === "live") return no(`“${name}” is generated per turn: there is nothing to amend.`);
  if (mutability.amendableBy.includes(actor)) return undefined;
  return no(`“${name}” may be changed by ${mutability.amendableBy.join(" or ")}, not by the ${actor}.`);
});

function no(because: string) {
  return { guard: "allowed-hand", because };
}
