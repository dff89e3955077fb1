import type { MeAnswer } from "charter/answers";
import { X } from "lucide-react";
import { type ComponentProps, createContext, Suspense, useContext, useEffect, useMemo, useRef } from "react";
import { Link, type Router } from "wouter";
import { useApi } from "../api/query-client.ts";
import { Icon } from "../kit/icon.tsx";
import { onDemand } from "../kit/on-demand.ts";
import { AgentChoice, useFirstAgents } from "./agents.tsx";
import { Loading } from "./page.tsx";
import { placeIn, placeOf, useAsked, usePlace } from "./place.ts";

const Chat = onDemand(async () => ({ default: (await import("../pages/chat/page.tsx")).Chat }));

/** What the address says of the drawer: with which agent, as whom, in which conversation. It goes along to every page. */
const drawerKeys = ["chat", "as", "in"] as const;

type Around = NonNullable<ComponentProps<typeof Router>["aroundNav"]>;

/** A drawer that is open stays open wherever one goes; with the agent one looked at, it turns to the next. */
export const carryDrawer: Around = (navigate, to, options) => {
  const isClosed = (options?.state as { drawer?: string } | null)?.drawer === "closed";
  navigate(isClosed ? to : withDrawer(String(to), location), options);
};

/** An address with the drawer as it stands in the one before. */
export function withDrawer(to: string, from: Pick<Location, "pathname" | "search">): string {
  const [path = "", query = ""] = to.split("?");
  const asked = new URLSearchParams(query);
  const before = new URLSearchParams(from.search);
  const [left, next] = [placeIn(from.pathname).agent, placeIn(path)];
  const agent = before.get("chat");
  if (agent === null || asked.has("chat") || next.page === "chat") return to;
  const turns = agent === left && next.agent !== "" && next.agent !== agent;
  asked.set("chat", turns ? next.agent : agent);
  for (const key of ["as", "in"]) {
    const value = before.get(key);
    if (value !== null && !(turns && key === "in")) asked.set(key, value);
  }
  return `${path}?${asked}`;
}

/** Whether the drawer is open, and how to open and close it. */
export function useDrawer() {
  const [asked, setAsked] = useAsked();
  const { agent, page } = usePlace();
  const first = useFirstAgents().data?.agents;
  const open = page === "chat" ? undefined : asked("chat");
  const usual = agent || (first?.find(({ served }) => served !== false) ?? first?.[0])?.name;
  const toggle = () =>
    open === undefined
      ? setAsked({ chat: usual, as: asked("user") }, { replace: false })
      : setAsked(Object.fromEntries(drawerKeys.map((key) => [key, undefined])), { state: { drawer: "closed" } });
  return { open, can: usual !== undefined && page !== "chat", toggle };
}

/** A conversation beside the page one looks at. Escape closes it; a whole page for it is one click away. */
export function Drawer() {
  const { open, toggle } = useDrawer();
  const [asked, setAsked] = useAsked();
  const me = useApi<MeAnswer>(open === undefined ? undefined : "/me").data?.user ?? undefined;
  const around = useRef<HTMLElement>(null);
  const user = asked("as") ?? me;
  const session = asked("in");
  const whom = useMemo(
    () => (open === undefined || user === undefined ? undefined : { agent: open, user }),
    [open, user],
  );
  useEffect(() => {
    if (whom) around.current?.focus({ preventScroll: true });
  }, [whom]);
  if (open === undefined) return null;
  const addressOf = (one: string | undefined) => {
    const next = new URLSearchParams(location.search);
    if (one === undefined) next.delete("in");
    else next.set("in", one);
    return `${location.pathname}?${next}`;
  };
  return (
    <aside
      ref={around}
      tabIndex={-1}
      aria-label="Chat"
      onKeyDown={(event) => {
        if (event.key === "Escape" && !event.defaultPrevented && !event.nativeEvent.isComposing) toggle();
      }}
      className="fixed inset-0 z-30 flex min-h-0 flex-col border-line bg-paper outline-none lg:static lg:w-[26rem] lg:shrink-0 lg:border-s"
    >
      <div className="flex items-center gap-2 border-line border-b px-4 py-1.5 text-sm sm:px-6">
        <h2 className="font-semibold">Chat</h2>
        <AgentChoice
          agent={open}
          label="Agent to talk to"
          needed
          onChoose={(one) => one && setAsked({ chat: one.name, in: undefined })}
        />
        <Link
          href={placeOf(open, "chat", undefined, { user, session })}
          className="ms-auto whitespace-nowrap text-accent underline"
        >
          Whole page
        </Link>
        <button
          type="button"
          aria-label="Close the chat"
          onClick={toggle}
          className="size-9 rounded-md text-soft hover:bg-raised hover:text-ink"
        >
          <Icon of={X} className="mx-auto" />
        </button>
      </div>
      <div className="min-h-0 flex-1">
        <Ways.Provider
          value={{
            isDrawer: true,
            addressOf,
            speakAs: (next) => setAsked({ as: next, in: undefined }, { replace: false }),
            leave: () => setAsked({ in: undefined }, { replace: false }),
          }}
        >
          <Suspense fallback={<Loading />}>{whom && <Chat whom={whom} session={session} />}</Suspense>
        </Ways.Provider>
      </div>
    </aside>
  );
}

/** How one gets about in a chat: it is a page of its own, or a drawer beside another page, whose address it shares. */
type ChatWays = {
  readonly isDrawer: boolean;
  /** The address of one of the user's conversations; of all of them. */
  readonly addressOf: (session: string | undefined) => string;
  /** Speaks as someone else. */
  readonly speakAs: (user: string | undefined) => void;
  /** Leaves the conversation that the address names; who speaks stays as the address says. */
  readonly leave: () => void;
};

const Ways = createContext<ChatWays | undefined>(undefined);

/** Those of the drawer one is in, else those of the page. */
export function useWays({ agent, user }: { readonly agent: string; readonly user: string }): ChatWays {
  const [, setAsked] = useAsked();
  const given = useContext(Ways);
  if (given) return given;
  return {
    isDrawer: false,
    addressOf: (session) => placeOf(agent, "chat", undefined, { user, session }),
    speakAs: (next) => setAsked({ user: next, session: undefined }, { replace: false }),
    leave: () => setAsked({ session: undefined }, { replace: false }),
  };
}
