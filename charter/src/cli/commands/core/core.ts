import { Problem } from "../../../prompt/problem.ts";

type Verb = { readonly run: (args: readonly string[]) => Promise<number> };

const verbs: Readonly<Record<string, () => Promise<Verb>>> = {
  get: () => import("./get.ts"),
  set: () => import("./set.ts"),
  history: () => import("./history.ts"),
  list: () => import("./list.ts"),
  relays: () => import("./relays.ts"),
  publish: () => import("./publish.ts"),
  new: () => import("./birth.ts"),
};

/** An agent's core memory: what its relays have, what is on record, and what still has to be sent. */
export async function run([verb = "", ...args]: readonly string[]): Promise<number> {
  const load = Object.hasOwn(verbs, verb) ? verbs[verb] : undefined;
  if (load) return (await load()).run(args);
  throw new Problem(
    "usage",
    verb === "" || verb.startsWith("-")
      ? "charter core needs to know what to do."
      : `charter core does not understand “${verb}”.`,
    `Say ${Object.keys(verbs).join(", ")}, and then the options; see charter core --help.`,
  );
}
