import type { RulesFor } from "../../agent/declaration.ts";
import type { Guard } from "../../amend/guard.ts";
import { sizeLimit } from "../../amend/guards/size-limit.ts";
import { usualGuards } from "../../amend/guards.ts";
import type { Charter } from "../../prompt/charter.ts";
import { identityFault } from "./identity.ts";

export function assistantRules(charter: Charter): RulesFor {
  return (section, readings, limits) => ({
    guards: [
      ...usualGuards(charter, readings, limits),
      sizeLimit({ bytes: 65_536 }),
      ...(section === "identity" ? [identityIsJson] : []),
    ],
  });
}

const identityIsJson: Guard = ({ after }) => {
  const fault = identityFault(after);
  return fault === undefined ? undefined : { guard: "well-formed", because: `“identity” ${fault}` };
};
