import type { MeAnswer, MessageListAnswer } from "charter/answers";
import { type ReactNode, useEffect, useState } from "react";
import { Link, useLocation } from "wouter";
import { useConnection } from "../api/event-feed.ts";
import { useApi } from "../api/query-client.ts";
import { encodeName, withQuery } from "../api/request.ts";
import { Button } from "../kit/button.tsx";
import { Select } from "../kit/field.tsx";
import { chooseTheme, chosenTheme, type Theme } from "../kit/window/theme.ts";
import { count } from "../kit/words.ts";
import { StepReminder } from "../pages/start/reminder.tsx";
import { AgentChoice } from "./agent-choice.tsx";
import { DemoBanner } from "./demo-banner.tsx";
import { type PageName, pagesOf, placeOf, titles, useAsked, usePlace } from "./place.ts";
import { type ListedAgent, useListedAgent } from "./use-agents.ts";
import { useWaiting } from "./use-waiting.ts";

/** What stands around every page: whose prompt it is, the menu, whether the line to the server is open. */
export function Shell({ children }: { readonly children: ReactNode }) {
  const [location] = useLocation();
  const place = usePlace();
  const agent = place.agent === "" ? undefined : place.agent;
  const page = place.page === "" ? undefined : place.page;
  const [open, setOpen] = useState(false);
  // biome-ignore lint/correctness/useExhaustiveDependencies: whoever went somewhere has closed the menu.
  useEffect(() => setOpen(false), [location]);
  return (
    <div className="flex h-full flex-col lg:flex-row">
      <a href="#page" className="sr-only focus:not-sr-only focus:absolute focus:z-50 focus:bg-card focus:p-2">
        Skip to content
      </a>
      <header className="flex shrink-0 flex-wrap items-center gap-2 border-line border-b bg-card px-3 py-2 lg:w-56 lg:flex-col lg:flex-nowrap lg:items-stretch lg:overflow-y-auto lg:border-r lg:border-b-0">
        <Link href="/agents" className="flex items-center gap-2 font-semibold tracking-tight lg:px-2 lg:py-1">
          <img src="/icon.svg" alt="" className="size-5" />
          Charter
        </Link>
        <Switcher agent={agent} page={page as PageName | undefined} />
        <Button
          kind="plain"
          className="ml-auto lg:hidden"
          aria-expanded={open}
          aria-controls="menu"
          onClick={() => setOpen(!open)}
        >
          {page && page in titles ? titles[page as PageName] : "Menu"} ▾
        </Button>
        <nav id="menu" aria-label="Pages" className={`${open ? "" : "hidden"} w-full lg:block`}>
          <Menu agent={agent} page={page} />
        </nav>
        <Foot open={open} />
      </header>
      <div className="flex min-h-0 min-w-0 flex-1 flex-col">
        <DemoBanner />
        <Away />
        <StepReminder />
        <main id="page" tabIndex={-1} className="min-h-0 flex-1 overflow-y-auto outline-none">
          {children}
        </main>
      </div>
    </div>
  );
}

/** Pages about one person's words: whose they are goes along from one to the next. The others begin with everyone. */
const ofSomeone: readonly PageName[] = ["prompt", "sections", "chat", "memory"];

/** The way to an agent's page, for whoever was looked at last; without anyone, for the operator. */
function useWay(): (agent: string, page: PageName) => string {
  const [asked] = useAsked();
  const me = useApi<MeAnswer>("/me").data?.user ?? undefined;
  const user = asked("user") ?? me;
  return (agent, page) => placeOf(agent, page, undefined, ofSomeone.includes(page) ? { user } : {});
}

/** The same page of another agent, if that has one. */
function Switcher({ agent, page }: { readonly agent: string | undefined; readonly page: PageName | undefined }) {
  const [, go] = useLocation();
  const way = useWay();
  const choose = (chosen: ListedAgent | undefined) => {
    if (chosen === undefined) return go("/agents");
    const same = page !== undefined && pagesOf(chosen).includes(page) ? page : "prompt";
    go(way(chosen.name, same));
  };
  return <AgentChoice agent={agent} onChoose={choose} />;
}

/** Pages that begin a group of the menu: what the prompt is, and what goes on around it. */
const opening: ReadonlySet<PageName> = new Set(["prompt", "chat"]);

const item = "flex items-center justify-between rounded-md px-2 py-1.5 text-sm hover:bg-raised";

function Menu({ agent, page }: { readonly agent: string | undefined; readonly page: string | undefined }) {
  const waiting = useWaiting(agent);
  const pages = pagesOf(useListedAgent(agent).listed);
  const failed = useFailed(pages.includes("life") ? agent : undefined);
  const way = useWay();
  const isHere = agent === undefined && location.pathname !== "/start";
  return (
    <ul className="grid grid-cols-2 gap-0.5 sm:grid-cols-3 lg:grid-cols-1">
      <li>
        <Link
          href="/agents"
          aria-current={isHere ? "page" : undefined}
          className={`${item} ${isHere ? "bg-raised font-medium" : ""}`}
        >
          Agents
        </Link>
      </li>
      {agent &&
        pages.map((name) => (
          <li key={name} className={opening.has(name) ? "lg:mt-3" : ""}>
            <Link
              href={way(agent, name)}
              aria-current={name === page ? "page" : undefined}
              className={`${item} ${name === page ? "bg-raised font-medium" : ""}`}
            >
              {titles[name]}
              {name === "approvals" && <Count many={waiting} more={false} />}
              {name === "life" && <Count many={failed.many} more={failed.more} />}
            </Link>
          </li>
        ))}
    </ul>
  );
}

/** How many messages to an agent failed, and wait for a person's word. */
function useFailed(agent: string | undefined): { readonly many: number; readonly more: boolean | undefined } {
  const path = agent && withQuery(`/agents/${encodeName(agent)}/inbox`, { status: "dead", limit: 100 });
  const { data } = useApi<MessageListAnswer>(path);
  return { many: data?.messages.length ?? 0, more: data?.more };
}

/** How many things on a page wait for a person. */
function Count({ many, more }: { readonly many: number; readonly more: boolean | undefined }) {
  if (many === 0) return null;
  return (
    <span className="rounded-full bg-accent px-1.5 text-on-accent text-xs">
      {count(many)}
      {more ? "+" : ""}
    </span>
  );
}

const themes: readonly Theme[] = ["system", "light", "dark"];

function Foot({ open }: { readonly open: boolean }) {
  const connection = useConnection();
  const [theme, setTheme] = useState(chosenTheme);
  const signOut = async () => {
    await fetch("/sign-out", { method: "POST", headers: { "x-charter-csrf": "1" } });
    location.replace("/sign-in");
  };
  return (
    <div className={`${open ? "flex" : "hidden"} w-full flex-wrap items-center gap-2 text-sm lg:mt-auto lg:flex`}>
      <span role="status" className="flex items-center gap-1.5 px-2 text-soft">
        <span className={`size-2 rounded-full ${connection === "live" ? "bg-good" : "bg-wait"}`} />
        {{ live: "connected", connecting: "connecting…", away: "reconnecting…" }[connection]}
      </span>
      <Select
        aria-label="Theme"
        className="w-auto"
        value={theme}
        onChange={({ target }) => {
          chooseTheme(target.value as Theme);
          setTheme(target.value as Theme);
        }}
      >
        {themes.map((one) => (
          <option key={one} value={one}>
            {one === "system" ? "system theme" : one}
          </option>
        ))}
      </Select>
      <a href="/docs" className="px-2 text-soft hover:text-ink">
        API
      </a>
      <Button kind="quiet" onClick={signOut}>
        Sign out
      </Button>
    </div>
  );
}

function Away() {
  return useConnection() === "away" ? (
    <p role="alert" className="border-line border-b bg-raised px-4 py-1.5 text-sm text-wait">
      The server cannot be reached. This page reconnects when it is back; nothing you type is lost.
    </p>
  ) : null;
}
