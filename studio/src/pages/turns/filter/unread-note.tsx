import { plural } from "../../../kit/words.ts";
import type { Unread } from "./turn-filter.ts";

/** What of an address filters nothing, because it cannot be read. */
export function UnreadNote({ unread }: { readonly unread: readonly Unread[] }) {
  if (unread.length === 0) return null;
  return (
    <div role="alert" className="mb-3 rounded-lg border border-wait/50 bg-card p-3 text-sm">
      <p>
        {plural(unread.length, "filter")} in this address cannot be read and {unread.length === 1 ? "is" : "are"} not
        applied:
      </p>
      <ul>
        {unread.map(({ key, value, reason }) => (
          <li key={key} className="[overflow-wrap:anywhere]">
            <code>{key}</code> is “<bdi>{value.slice(0, 200)}</bdi>”: it {reason}.
          </li>
        ))}
      </ul>
    </div>
  );
}
