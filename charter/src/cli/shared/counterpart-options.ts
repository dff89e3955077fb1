import { Problem } from "../../prompt/problem.ts";
import { counterpartKey } from "../../store/conversations/counterpart.ts";
import { checkCounterpart } from "../../store/scope.ts";

/** Whose data a command is about: a user's, or those of whoever writes to an agent's inbox. */
export const counterpartOptions = {
  user: { type: "string", short: "u" },
  counterpart: { type: "string" },
} as const;

type CounterpartValues = { readonly user?: string | undefined; readonly counterpart?: string | undefined };

/** The user, or what stands in a user's place for the counterpart. */
export function userOption({ user, counterpart }: CounterpartValues): string | undefined {
  if (counterpart === undefined) return user;
  if (user !== undefined)
    throw new Problem(
      "usage",
      "Both --user and --counterpart were given.",
      "Give one of them: they are never the same.",
    );
  checkCounterpart(counterpart);
  return counterpartKey(counterpart);
}
