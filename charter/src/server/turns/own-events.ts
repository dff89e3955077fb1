import { type Person, reachFor, sees } from "../../operations/caller.ts";
import type { Events, StoreEvent } from "../../store/event.ts";
import type { TransientEvent } from "./event-feed.ts";

/** What of an event's detail a user is told: which thing changed. The rest may be the operator's. */
const told = new Set(["session", "channel", "state", "section", "revision"]);

/** The event as this caller hears of it: an operator of all, a user of what happens to what is theirs. */
export function eventFor<One extends StoreEvent | TransientEvent>(caller: Person, event: One): One | undefined {
  if (caller.kind === "operator") return event;
  if (!sees(caller, event.scope)) return undefined;
  return { ...event, detail: Object.fromEntries(Object.entries(event.detail).filter(([name]) => told.has(name))) };
}

/** The events of a store, as this caller hears of them. */
export function eventsFor(caller: Person, events: Pick<Events, "list" | "watch">): Pick<Events, "list" | "watch"> {
  if (caller.kind === "operator") return events;
  const whose = reachFor(caller, {});
  return {
    list: async (about) => (await events.list({ ...about, ...whose })).flatMap((one) => eventFor(caller, one) ?? []),
    watch: (listener) =>
      events.watch((event) => {
        const own = eventFor(caller, event);
        if (own) listener(own);
      }),
  };
}

/** One watch of the store, however many listen: a page is open for each user, and each watch reads every event. */
export function sharedEvents(events: Pick<Events, "list" | "watch">): Pick<Events, "list" | "watch"> {
  const listeners = new Set<(event: StoreEvent) => void>();
  let watching: Promise<() => Promise<void>> | undefined;
  const tell = (event: StoreEvent) => {
    for (const listener of listeners) listener(event);
  };
  const leave = async (listener: (event: StoreEvent) => void) => {
    listeners.delete(listener);
    const stop = await watching;
    if (listeners.size > 0 || !stop) return;
    watching = undefined;
    await stop();
  };
  return {
    list: events.list,
    watch: async (given) => {
      const listener = (event: StoreEvent) => given(event);
      listeners.add(listener);
      watching ??= events.watch(tell);
      try {
        await watching;
      } catch (error) {
        listeners.delete(listener);
        watching = undefined;
        throw error;
      }
      return () => leave(listener);
    },
  };
}
