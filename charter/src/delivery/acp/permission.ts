import type { Permission } from "../model.ts";
import type { PermissionPolicy } from "./entry.ts";
import { objectOf } from "./slot.ts";

/** What the configuration says to a tool of this kind. The operator is asked, users are not: they have no one to ask. */
export function policyFor(policy: PermissionPolicy | undefined, kind: string, operator: boolean): Permission {
  const usual = operator ? "hold" : "deny";
  if (policy === undefined) return usual;
  if (typeof policy === "string") return policy;
  const own = Object.hasOwn(policy, kind) ? policy[kind as keyof typeof policy] : undefined;
  return own ?? policy.default ?? usual;
}

/** The answer to a request for permission, as both versions of the protocol have it. */
export type PermissionOutcome =
  | { readonly outcome: "selected"; readonly optionId: string }
  | { readonly outcome: "cancelled" };

/**
 * Chooses among the options of a request. Only what holds once is ever chosen, never an “always”: where nothing can be
 * allowed once, it is rejected, and where nothing can be rejected once, the request is called off.
 */
export function chooseOption(options: unknown, decision: "allow" | "deny"): PermissionOutcome {
  const offered = (Array.isArray(options) ? options : []).map(objectOf);
  const idOf = (kind: string) => {
    const { optionId } = objectOf(
      offered.find((option) => option.kind === kind && typeof option.optionId === "string"),
    );
    return optionId as string | undefined;
  };
  const optionId = (decision === "allow" ? idOf("allow_once") : undefined) ?? idOf("reject_once");
  return optionId === undefined ? { outcome: "cancelled" } : { outcome: "selected", optionId };
}
