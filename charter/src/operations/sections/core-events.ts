import { coreSlug } from "../../sources/core-memory/memory-key.ts";
import type { RecordedAmendment } from "../../store/amendments/amendments.ts";
import type { RecordedPublication } from "../../store/publications/publications.ts";
import type { Store } from "../../store/store.ts";

/** The event of a revision. `elsewhere`: it was written with the same key, not from this store, and found on `relay`. */
type CoreEvent = {
  readonly id: string;
  readonly state: RecordedPublication["state"] | "elsewhere";
  readonly relay: string | null;
};

const pageSize = 1000;

/** Revisions of a core memory, newest first, each with its event. No relay is asked, and no key is needed. */
export async function withCoreEvents(
  { publications }: Pick<Store, "publications">,
  amendments: readonly RecordedAmendment[],
): Promise<(RecordedAmendment & { readonly event: CoreEvent | null })[]> {
  const [newest, oldest] = [amendments[0], amendments.at(-1)];
  if (!newest || !oldest) return [];
  const sent = new Map<number, RecordedPublication>();
  for (let offset = 0; ; offset += pageSize) {
    const page = await publications.list({ agent: newest.scope.agent, section: coreSlug, limit: pageSize, offset });
    for (const one of page) if (!sent.has(one.revision)) sent.set(one.revision, one);
    if (page.length < pageSize || (page.at(-1)?.revision ?? 0) < oldest.revision) break;
  }
  return amendments.map((amendment) => ({ ...amendment, event: eventOf(amendment, sent.get(amendment.revision)) }));
}

function eventOf({ reason }: RecordedAmendment, sent: RecordedPublication | undefined): CoreEvent | null {
  if (sent) return { id: sent.id, state: sent.state, relay: null };
  const [, id, relay] = /^Written elsewhere.*\bevent ([0-9a-f]{64}) on (\S+)\.$/.exec(reason ?? "") ?? [];
  return id === undefined ? null : { id, state: "elsewhere", relay: relay ?? null };
}
