import { useEffect, useRef } from "react";
import { hasDraft } from "../../kit/draft.ts";
import { placeOfEdit } from "./approve-form.tsx";
import type { Decision } from "./decisions.tsx";
import type { waitingOf } from "./waiting.ts";

type Items = ReturnType<typeof waitingOf>;

/**
 * Tells of proposals that are edited here and go from the list because someone else has decided them. Those that nobody
 * edits just go. `list` names the list: another one has other things on it.
 */
export function useLate(list: string, items: Items | undefined, onDecided: (decision: Decision) => void): void {
  const before = useRef<{ readonly list: string; readonly items: Items }>(undefined);
  useEffect(() => {
    if (!items) return;
    const there = new Set(items.map(({ id }) => id));
    const gone = before.current?.list === list ? before.current.items.filter(({ id }) => !there.has(id)) : [];
    before.current = { list, items };
    for (const one of gone)
      if ("proposal" in one && hasDraft(placeOfEdit(one.id))) {
        const { id, section, scope } = one;
        onDecided({ id, agent: scope.agent, user: scope.user, kind: "late", what: `the change of “${section}”` });
      }
  }, [list, items, onDecided]);
}
