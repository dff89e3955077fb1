import { useEffect, useRef } from "react";
import { hasDraft } from "../../kit/draft.ts";
import { placeOfEdit } from "./approve-form.tsx";
import type { Decision } from "./decisions.tsx";
import type { Waiting } from "./waiting.ts";

/**
 * Tells of proposals that are edited here and go from the list because someone else has decided them. Those that nobody
 * edits just go. `list` names the list: another one has other things on it.
 */
export function useLate(
  list: string,
  items: readonly Waiting[] | undefined,
  onDecided: (decision: Decision) => void,
): void {
  const before = useRef<{ readonly list: string; readonly items: readonly Waiting[] }>(undefined);
  useEffect(() => {
    if (!items) return;
    const there = new Set(items.map(({ id }) => id));
    const gone = before.current?.list === list ? before.current.items.filter(({ id }) => !there.has(id)) : [];
    before.current = { list, items };
    for (const { id, proposal } of gone)
      if (proposal && hasDraft(placeOfEdit(id)))
        onDecided({ id, user: proposal.scope.user, kind: "late", what: `the change of “${proposal.section}”` });
  }, [list, items, onDecided]);
}
