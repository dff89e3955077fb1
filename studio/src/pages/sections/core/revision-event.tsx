import { ShortCode } from "../../../kit/text-link.tsx";
import type { Amendment } from "../history/use-history.ts";

type CoreEvent = NonNullable<Amendment["event"]>;

const became: Readonly<Record<CoreEvent["state"], { readonly says: string; readonly ink: string }>> = {
  published: { says: "published", ink: "text-good" },
  waiting: { says: "not published yet", ink: "text-wait" },
  superseded: { says: "not kept there: something newer was written elsewhere at the same time", ink: "text-wait" },
  replaced: { says: "a later change was published instead", ink: "text-soft" },
  elsewhere: { says: "signed with the same key,", ink: "text-soft" },
};

/** A revision of a core memory: its event, and whether the relays have it. */
export function RevisionEvent({ event, reason }: { readonly event: CoreEvent; readonly reason: string | null }) {
  const { id, state, relay } = event;
  const { says, ink } = became[state];
  const replaced = state === "elsewhere" && reason?.includes("replaced by a later change");
  return (
    <p className="mt-0.5 flex flex-wrap items-center gap-x-1.5 text-sm">
      <span className="text-soft">Event</span>
      <ShortCode what="event" code={id} />
      <span className={ink}>{says}</span>
      {relay !== null && (
        <span className="text-soft [overflow-wrap:anywhere]">
          found on <code>{relay}</code>
        </span>
      )}
      {replaced && <span className="text-soft">replaced by the later change above</span>}
    </p>
  );
}
