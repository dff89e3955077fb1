import type { Scope } from "../amend/amendment.ts";
import { lastSaid } from "../delivery/baseline.ts";
import type { DeliverOptions } from "../delivery/deliver.ts";
import { anyValue, checkOptions, isObject } from "../prompt/argument.ts";
import { allSections } from "../prompt/charter.ts";
import { sectionScope } from "../store/scope.ts";
import type { Store } from "../store/store.ts";

/** A prompt that is about to be delivered in a session, and for whom. */
export type RemovedSectionsOptions = Pick<DeliverOptions, "charter" | "prompt" | "baseline"> & {
  readonly scope: Scope;
};

/**
 * Lists the sections whose earlier text must be gone from a session's prefix: the operator changed them, or they were
 * reset or reverted. This is the `removed` of `deliver`, for an own loop.
 */
export async function removedSections(
  store: Pick<Store, "history">,
  options: RemovedSectionsOptions,
): Promise<ReadonlySet<string>> {
  checkOptions<RemovedSectionsOptions>("removedSections", options, {
    charter: [isObject, "Give the charter that the prompt was assembled from."],
    prompt: [isObject, "Give what assemble(charter, readings) made."],
    baseline: anyValue,
    scope: [isObject, "Give { agent }, or { agent, user }: names."],
  });
  const { charter, prompt, baseline, scope } = options;
  const removed = new Set<string>();
  if (!baseline) return removed;
  const now = new Map(prompt.sections.map((section) => [section.name, section]));
  const sections = new Map(allSections(charter).map(({ section }) => [section.name, section]));
  const names = new Set([...baseline.words.map(({ name }) => name), ...baseline.updates.map(({ section }) => section)]);
  for (const name of names) {
    const said = lastSaid(baseline, name);
    if (!said || said.revision === null) continue;
    const section = sections.get(name);
    const revision = now.get(name)?.revision ?? null;
    if (section && revision === said.revision) continue;
    if (!section || (revision !== null && revision < said.revision)) {
      removed.add(name);
      continue;
    }
    if (section.scope === "user" && scope.user === undefined) continue; // without a user it is nobody's to amend
    const page = { limit: Math.min(100, Math.max(1, (revision ?? said.revision + 100) - said.revision)) };
    const since = await store.history.list(sectionScope(section, scope), name, page);
    const takesBack = since.some(
      (one) =>
        one.revision > (said.revision as number) &&
        (one.actor === "operator" || one.operation === "reset" || one.operation === "revert"),
    );
    if (takesBack || since.length === 100) removed.add(name);
  }
  return removed;
}
