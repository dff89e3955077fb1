import { badArgument, isList, isNumber, kindOf } from "../../prompt/argument.ts";
import { sectionMutability } from "../../prompt/charter.ts";
import { bareGuard, type Guard } from "../guard.ts";

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

/**
 * Guard: with `approvedBy: "operator"`, a change by anyone else waits for the operator. `amend` asks it of every change, so a
 * charter's declaration holds whichever guards its rules bring.
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

/**
 * Guard: an agent's proposal waits for a person while untrusted text is in its context. A user's or operator's own change does
 * not.
 */
export const needsApproval = bareGuard("needsApproval", ({ actor, turn }) =>
  actor === "agent" && turn.tainted
    ? {
        guard: "needs-approval",
        because:
          turn.taintedBy === undefined
            ? "Untrusted text was in this turn's context, so a person must approve what it changes."
            : `A person must approve this change, because ${turn.taintedBy}.`,
        holds: true,
      }
    : undefined,
);

/** Guard: refuses a proposal that is based on an outdated revision. Nothing is merged silently. */
export const staleRevision = bareGuard("staleRevision", ({ base, revision, placed }) =>
  base === undefined || base === revision
    ? undefined
    : {
        guard: "stale-revision",
        because: `“${placed.section.name}” is at revision ${revision}; the proposal was made against ${base}. Read it again.`,
      },
);

/** Guard: refuses every change, by anyone. For agents that the operator has frozen, wholly or only their amendments. */
export function frozen(agent: string, what: "amendments" | "agent"): Guard {
  const stopped = what === "agent" ? `“${agent}” is` : `All amendments of “${agent}” are`;
  return () => ({ guard: "frozen", because: `${stopped} frozen. The operator thaws it: charter thaw ${agent}.` });
}

/** Guard: limits how many amendments an agent may make in one turn. */
export function turnQuota(perTurn: number): Guard {
  if (!isNumber(perTurn))
    throw badArgument(`The number that turnQuota was given is ${kindOf(perTurn)}.`, "Give turnQuota(3).");
  return ({ actor, turn }) =>
    actor !== "agent" || turn.amendments < perTurn
      ? undefined
      : {
          guard: "turn-quota",
          because: `This turn has made ${turn.amendments} of the ${perTurn} amendment${perTurn === 1 ? "" : "s"} it may make.`,
        };
}

/** Guard: an agent may amend only while its loop is in one of these states. */
export function turnState(allowed: readonly string[]): Guard {
  if (!isList(allowed))
    throw badArgument(
      `The list that turnState was given is ${kindOf(allowed)}.`,
      'Give the states it allows: turnState(["ExecutingActions"]).',
    );
  return ({ actor, turn }) =>
    actor !== "agent" || allowed.includes(turn.state)
      ? undefined
      : {
          guard: "turn-state",
          because: `The agent amends only while ${allowed.join(" or ")}; it is ${turn.state}.`,
        };
}
