import type { ApprovalListAnswer, MeAnswer, MessageListAnswer } from "charter/answers";
import { ChevronDown } from "lucide-react";
import { type ReactNode, useEffect, useRef, useState } from "react";
import { Link, useLocation } from "wouter";
import { useConnection } from "../api/event-feed.ts";
import { useApi } from "../api/query-client.ts";
import { encodeName, withQuery } from "../api/request.ts";
import { placeOfDraft, useDraft } from "../kit/draft.ts";
import { Button } from "../kit/field.tsx";
import { Icon } from "../kit/icon.tsx";
import { Menu, MenuChoice, MenuItem, MenuLine } from "../kit/menu.tsx";
import { chooseTheme, chosenTheme, isDemoDocument, type Theme } from "../kit/window.ts";
import { count } from "../kit/words.ts";
import { StepReminder } from "../pages/start/first-steps.tsx";
import { AgentChoice, type ListedAgent, useListedAgent } from "./agents.tsx";
import { Drawer, useDrawer } from "./drawer.tsx";
import { Palette } from "./palette.tsx";
import {
  type HousePageName,
  housePlaceOf,
  housePlaces,
  type MenuPlace,
  type PageName,
  placeOf,
  placesOf,
  titles,
  useAsked,
  usePlace,
} from "./place.ts";

/** What stands around every page: the six places, the tabs of one, the chat, whether the line to the server is open. */
export function Shell({ children }: { readonly children: ReactNode }) {
  const [location] = useLocation();
  const { agent: named, page } = usePlace();
  const agent = named === "" ? undefined : named;
  const [open, setOpen] = useState(false);
  // biome-ignore lint/correctness/useExhaustiveDependencies: whoever went somewhere has closed the menu.
  useEffect(() => setOpen(false), [location]);
  return (
    <div className="flex h-full flex-col lg:flex-row">
      <a href="#page" className="sr-only focus:not-sr-only focus:absolute focus:z-50 focus:bg-card focus:p-2">
        Skip to content
      </a>
      <header className="flex shrink-0 flex-wrap items-center gap-2 border-line border-b bg-card px-3 py-2 lg:w-52 lg:flex-col lg:flex-nowrap lg:items-stretch lg:overflow-y-auto lg:border-r lg:border-b-0">
        <Link href="/home" className="flex items-center gap-2 font-semibold tracking-tight lg:px-2 lg:py-1">
          <img src="/icon.svg" alt="" className="size-5" />
          Charter
        </Link>
        <Button
          kind="plain"
          className="ml-auto lg:hidden"
          aria-expanded={open}
          aria-controls="menu"
          onClick={() => setOpen(!open)}
        >
          {page in titles ? titles[page as PageName] : "Menu"} <Icon of={ChevronDown} className="inline size-4" />
        </Button>
        <nav id="menu" aria-label="Pages" className={`${open ? "" : "hidden"} w-full lg:block`}>
          <Places agent={agent} page={page} />
        </nav>
        <Foot open={open} />
      </header>
      <div className="flex min-h-0 min-w-0 flex-1 flex-col">
        <DemoBanner />
        <Away />
        <StepReminder />
        <Tabs agent={agent} page={page} />
        <main id="page" tabIndex={-1} className="min-h-0 flex-1 overflow-y-auto outline-none">
          {children}
        </main>
      </div>
      <Drawer />
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
function Switcher({ agent, page }: { readonly agent: string | undefined; readonly page: string }) {
  const [, go] = useLocation();
  const way = useWay();
  const choose = (chosen: ListedAgent | undefined) => {
    if (chosen === undefined) return go("/home");
    const same = placesOf(chosen).flatMap(({ pages }) => pages.filter((one) => one === page))[0];
    go(way(chosen.name, same ?? (page === "chat" ? "chat" : "prompt")));
  };
  return <AgentChoice agent={agent} onChoose={choose} />;
}

type MenuProps = { readonly agent: string | undefined; readonly page: string };

const item = "flex items-center justify-between rounded-md px-2 py-1.5 text-sm hover:bg-raised";

function Places({ agent, page }: MenuProps) {
  const waiting = useApi<ApprovalListAnswer>(withQuery("/approvals", { limit: 1 })).data?.total ?? 0;
  const places = placesOf(useListedAgent(agent).listed);
  const failed = useFailed(places.some(({ pages }) => pages.includes("life")) ? agent : undefined);
  const way = useWay();
  const row = (title: string, href: string, isHere: boolean, more?: ReactNode) => (
    <li key={title}>
      <Link
        href={href}
        aria-current={isHere ? "page" : undefined}
        className={`${item} ${isHere ? "bg-raised font-medium" : ""}`}
      >
        {title}
        {more}
      </Link>
    </li>
  );
  const isOn = (pages: readonly string[]) => pages.includes(page);
  return (
    <>
      <ul className="grid grid-cols-2 gap-0.5 lg:grid-cols-1">
        {housePlaces.map(({ title, pages: [first, ...others] }) =>
          row(
            title,
            housePlaceOf(first as HousePageName),
            agent === undefined && isOn([first as string, ...others]),
            title === "Home" && <Count many={waiting} more={false} />,
          ),
        )}
      </ul>
      <div className="my-3 lg:mt-4 lg:mb-1.5">
        <Switcher agent={agent} page={page} />
      </div>
      {agent && (
        <ul className="grid grid-cols-2 gap-0.5 lg:grid-cols-1">
          {places.map(({ title, pages }) =>
            row(
              title,
              way(agent, pages[0] as PageName),
              isOn(pages),
              title === "Automation" && <Count many={failed.many} more={failed.more} />,
            ),
          )}
        </ul>
      )}
    </>
  );
}

/** The pages of the place one is at, and what is at hand everywhere: the search for anything, and the chat. */
function Tabs({ agent, page }: MenuProps) {
  const places = placesOf(useListedAgent(agent).listed);
  const way = useWay();
  const { open, can, toggle } = useDrawer();
  const isHere = ({ pages }: MenuPlace<string>) => pages.includes(page);
  const tabs: readonly (readonly [name: PageName | HousePageName, href: string])[] =
    agent === undefined
      ? (housePlaces.find(isHere)?.pages.map((one) => [one, housePlaceOf(one)]) ?? [])
      : (places.find(isHere)?.pages.map((one) => [one, way(agent, one)]) ?? []);
  return (
    <div className="flex min-h-11 items-center gap-1 border-line border-b px-4 sm:px-6">
      <nav aria-label="Tabs" className="-mb-px flex min-w-0 flex-1 gap-4 self-stretch overflow-x-auto text-sm">
        {tabs.length > 1 &&
          tabs.map(([name, href]) => (
            <Link
              key={name}
              href={href}
              aria-current={name === page ? "page" : undefined}
              className="flex items-center border-transparent border-b-2 text-soft hover:text-ink aria-[current]:border-accent aria-[current]:font-medium aria-[current]:text-ink"
            >
              {titles[name]}
            </Link>
          ))}
      </nav>
      <Palette />
      {can && (
        <Button kind="quiet" aria-pressed={open !== undefined} onClick={toggle}>
          Chat
        </Button>
      )}
    </div>
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

const themes: readonly (readonly [Theme, string])[] = [
  ["system", "System theme"],
  ["light", "Light"],
  ["dark", "Dark"],
];

function Foot({ open }: { readonly open: boolean }) {
  const connection = useConnection();
  const [theme, setTheme] = useState(chosenTheme);
  const signOut = async () => {
    await fetch("/sign-out", { method: "POST", headers: { "x-charter-csrf": "1" } });
    location.replace("/sign-in");
  };
  return (
    <div className={`${open ? "flex" : "hidden"} w-full items-center gap-2 text-sm lg:mt-auto lg:flex`}>
      <span role="status" className="flex items-center gap-1.5 px-2 text-soft">
        <span className={`size-2 rounded-full ${connection === "live" ? "bg-good" : "bg-wait"}`} />
        {{ live: "connected", connecting: "connecting…", away: "reconnecting…" }[connection]}
      </span>
      <Menu label="Theme, API, sign out" className="ms-auto">
        <MenuChoice
          label="Theme"
          of={themes}
          chosen={theme}
          onChoose={(one) => {
            chooseTheme(one);
            setTheme(one);
          }}
        />
        <MenuLine />
        <MenuItem onChoose={() => location.assign("/docs")}>API</MenuItem>
        <MenuItem onChoose={signOut}>Sign out</MenuItem>
      </Menu>
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

type Try = NonNullable<MeAnswer["tries"]>[number];

/** On every page of a demo: that it is one, and what to say to see something happen. */
function DemoBanner() {
  const me = useApi<MeAnswer>("/me").data;
  const details = useRef<HTMLDetailsElement>(null);
  if (!me?.demo && !isDemoDocument()) return null;
  const { user, tries = [] } = me ?? {};
  const close = () => {
    if (details.current) details.current.open = false;
  };
  return (
    <aside aria-label="Demo" className="border-line border-b bg-amendable-tint px-4 py-1.5 text-sm">
      <details ref={details} className="group">
        <summary className="cursor-pointer list-none [&::-webkit-details-marker]:hidden">
          <strong className="text-amendable-ink">Demo.</strong> Everything here is made up, and a script answers.
          {tries.length > 0 && (
            <span className="ml-1.5 whitespace-nowrap text-accent underline">
              What to try <Icon of={ChevronDown} className="inline size-4" />
            </span>
          )}
        </summary>
        <p className="mt-2">
          You are signed in as the operator{user ? `, ${user}` : ""}. Nothing you do here leaves this machine. Say one
          of these in Chat, and then press Send:
        </p>
        <ul className="mt-1 max-h-[45vh] space-y-1 overflow-y-auto pb-1">
          {tries.map((one) => (
            <TryRow key={one.say} one={one} user={user ?? null} onChoose={close} />
          ))}
        </ul>
      </details>
    </aside>
  );
}

type TryRowProps = { readonly one: Try; readonly user: string | null; readonly onChoose: () => void };

function TryRow({ one: { agent, say, result }, user, onChoose }: TryRowProps) {
  const [, go] = useLocation();
  const [, setDraft] = useDraft(placeOfDraft("chat", agent, user));
  const write = () => {
    setDraft(say);
    onChoose();
    go(placeOf(agent, "chat", undefined, { user: user ?? undefined }));
  };
  return (
    <li className="flex flex-wrap items-center gap-x-3 gap-y-1">
      <Button onClick={write} className="h-auto max-w-full whitespace-normal! text-left">
        “{say}”
      </Button>
      <span className="min-w-0">{result}</span>
    </li>
  );
}
