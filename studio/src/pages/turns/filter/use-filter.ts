import { useMemo } from "react";
import { useAsked } from "../../../app/place.ts";
import { useNow } from "../../../kit/window.ts";
import { askedBy, filterIn, queryOf, type TurnFilter, type Unread } from "./turn-filter.ts";

export type SetFilter = (change: Partial<TurnFilter>, how?: { readonly replace?: boolean }) => void;

/** The filter that stands in the address, what the server is asked for it, and how to change it. */
export function useFilter(): {
  readonly filter: TurnFilter;
  readonly unread: readonly Unread[];
  readonly query: ReturnType<typeof queryOf>;
  readonly setFilter: SetFilter;
} {
  const [asked, setAsked] = useAsked();
  const { filter, unread } = filterIn(asked);
  const now = useNow(60_000);
  const written = JSON.stringify(filter);
  const query = useMemo(() => queryOf(JSON.parse(written) as TurnFilter, new Date(now)), [written, now]);
  const setFilter: SetFilter = (change, { replace = false } = {}) =>
    // Another filter is another list: one begins at its top.
    setAsked({ ...askedBy({ ...filter, ...change }), from: undefined }, { replace });
  return { filter, unread, query, setFilter };
}
