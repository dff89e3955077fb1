import type { Scope } from "../../../amend/amendment.ts";
import { sha256 } from "../../../store/texts/packing.ts";
import type { Tool } from "../../tool.ts";
import type { ForeignText } from "./foreign-text.ts";

/** A tool that a person has allowed for the rest of a session: for whom, which, where, and with which texts in it. */
export type Allowance = {
  readonly session: string;
  readonly agent: string;
  readonly user: string | null;
  readonly tool: string;
  /** What it is offered as: a tool that became another is not the one that was allowed. */
  readonly definition: string;
  readonly place: string | null;
  /** The keys of all foreign texts that the session had. */
  readonly texts: readonly string[];
};

/** What a call is, as it is compared with what was allowed. */
export function allowanceFor(
  session: { readonly id: string; readonly texts: readonly ForeignText[] },
  { agent, user = null }: { readonly agent: string; readonly user?: Scope["user"] | null },
  tool: Pick<Tool, "name" | "description" | "summary" | "schema" | "place">,
): Allowance {
  const { name, description = null, summary = null, schema = null, place = null } = tool;
  const definition = sha256(JSON.stringify([name, description, summary, schema]));
  const texts = session.texts.map(({ key }) => key);
  return { session: session.id, agent, user: user ?? null, tool: name, definition, place, texts };
}

/** All of it is as it was when the person said so, and no text has come that they had not been told of. */
export function isAllowed(given: readonly Allowance[], asked: Allowance): boolean {
  return given.some(({ texts, ...one }) => {
    const { texts: now, ...other } = asked;
    return JSON.stringify(one) === JSON.stringify(other) && now.every((key) => texts.includes(key));
  });
}

/** Those that another text in their session has not ended. */
export function withoutEnded(given: readonly Allowance[], { session, texts }: Allowance): Allowance[] {
  return given.filter((one) => one.session !== session || texts.every((key) => one.texts.includes(key)));
}

/** What was allowed in this process, and ends with it. */
export type Allowances = {
  readonly isAllowed: (asked: Allowance) => boolean;
  readonly add: (allowance: Allowance) => void;
};

export function createAllowances(): Allowances {
  let given: readonly Allowance[] = [];
  return {
    isAllowed: (asked) => {
      given = withoutEnded(given, asked);
      return isAllowed(given, asked);
    },
    add: (allowance) => {
      given = [...given, allowance];
    },
  };
}
