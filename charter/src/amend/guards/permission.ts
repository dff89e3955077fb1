import { badArgument, isList, isNumber, kindOf } from "../../prompt/argument.ts";
import { mayAmend, type PlacedSection, sectionMutability, sectionScope } from "../../prompt/charter.ts";
import { bareGuard, type Guard } from "../guard.ts";
import type { Refusal } from "../operation.ts";

/** Guard: only the actors that a section's layer names may change it. Fixed and live sections are changed by nobody. */
export const allowedHand = bareGuard("allowedHand", ({ placed, actor }) => {
  const mutability = sectionMutability(placed.section, placed.layer);
  const name = placed.section.name;
  if (mutability === "fixed") return no(`“${name}” is fixed: it cannot be changed while the agent runs.`);
  if (mutability === "live") return no(`“${name}” is generated per turn: there is nothing to amend.`);
  if (mayAmend(placed, actor)) return undefined;
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
  if (typeof mutability !== "object" || mutability.approvedBy !== "operator" || actor === "operator") return undefined;
  return {
    guard: "approved-by",
    because: `The operator approves every change of “${placed.section.name}” by others.`,
    holds: true,
  };
};

/** Tells whether all users of an agent read the same text of a section, and not each their own. */
export function isShared({ section, layer }: Pick<PlacedSection, "section" | "layer">): boolean {
  return sectionScope(section, layer) === "agent";
}

/**
 * Guard: text that all users read is not changed by one of them alone. What a user asks for, or an agent in a user's turn, waits
 * for the operator, unless the charter says `approvedBy: "nobody"`. `amend` asks it of every change, like `approvedBy`.
 */
export const reachesOthers: Guard = ({ placed, actor, turn: { user } }) => {
  const mutability = sectionMutability(placed.section, placed.layer);
  if (typeof mutability !== "object" || mutability.approvedBy === "nobody" || !isShared(placed)) return undefined;
  if (actor === "operator" || (actor === "agent" && user === undefined)) return undefined;
  const others = user === undefined ? "" : `, not only “${user}”`;
  return {
    guard: "reaches-others",
    because: `All users of the agent read “${placed.section.name}”${others}: the operator approves this change.`,
    holds: true,
  };
};

const operatorGuards = new Set(["approved-by", "reaches-others", "second-opinion"]);

/**
 * Tells whether only the operator answers an objection: the charter says so, others read the text, or a model took it for an
 * override. Users do not approve themselves what they asked for, or had their agent ask for.
 */
export function isForOperator({ guard }: Pick<Refusal, "guard">): boolean {
  return operatorGuards.has(guard);
}

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
