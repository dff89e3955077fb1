import type { AgentListAnswer, ScheduleListAnswer, UserListAnswer } from "charter/answers";
import { type KeyboardEvent, useEffect, useState } from "react";
import { useLocation } from "wouter";
import { useApi } from "../api/query-client.ts";
import { encodeName, withQuery } from "../api/request.ts";
import { Button, Input, useTyped } from "../kit/field.tsx";
import { Dialog } from "../kit/menu.tsx";
import { Option, useMarked } from "../kit/options.tsx";
import {
  type HousePageName,
  housePageNames,
  housePlaceOf,
  type PageName,
  placeOf,
  placesOf,
  titles,
  usePlace,
} from "./place.ts";

type Goal = { readonly words: string; readonly about: string; readonly href: string };

const most = 8;

type Known = Pick<AgentListAnswer, "agents"> &
  Pick<UserListAnswer, "users"> &
  Pick<ScheduleListAnswer, "schedules"> & { readonly agent: string };

type Ways<Page> = readonly (readonly [words: string, page: Page, query: Readonly<Record<string, string>>])[];

/** What a page of all agents, and one of an agent, can be asked for. */
const ofAll: Ways<HousePageName> = [
  ...["agent", "person", "model", "channel", "schedule", "day", "section"].map(
    (by) => [`Money by ${by}`, "money", { by }] as const,
  ),
  ...["approved", "rejected"].map((status) => [`Approvals: ${status}`, "approvals", { status }] as const),
  ["Create agent", "home", { new: "agent" }],
  ["Add a person", "people", { new: "person" }],
];
const ofAgent: Ways<PageName> = [
  ["Activity by session", "turns", { by: "session" }],
  ["Activity by person", "turns", { by: "person" }],
  ["Failed turns", "turns", { event: "failed" }],
  ["New schedule", "schedules", { new: "schedule" }],
  ["Add a note", "memory", { new: "note" }],
];

/** Where one can go: the pages, those of the agent one is at first; agents and people by letters of their names. */
function goalsOf({ agent, agents, users, schedules }: Known): readonly Goal[] {
  const own = agents.find(({ name }) => name === agent);
  const pages = agent === "" ? [] : placesOf(own).flatMap(({ pages }) => pages);
  return [
    ...pages.map((page) => ({ words: titles[page], about: agent, href: placeOf(agent, page) })),
    ...(agent === "" ? [] : ofAgent).map(([words, page, query]) => {
      return { words, about: agent, href: placeOf(agent, page, undefined, query) };
    }),
    ...housePageNames.map((page) => ({ words: titles[page], about: "all agents", href: housePlaceOf(page) })),
    ...ofAll.map(([words, page, query]) => ({
      words,
      about: "all agents",
      href: housePlaceOf(page, undefined, query),
    })),
    ...schedules.map(({ id, title }) => ({
      ...{ words: title, about: `schedule of ${agent}` },
      href: placeOf(agent, "schedules", undefined, { schedule: id }),
    })),
    { words: "First steps", about: "all agents", href: "/start" },
    ...agents.map(({ name, label }) => ({
      words: label ?? name,
      about: `agent ${name}`,
      href: placeOf(name, "prompt"),
    })),
    ...users.map(({ id }) => ({ words: id, about: "person", href: housePlaceOf("people", id) })),
  ];
}

const keys: readonly (readonly [keys: string, does: string])[] = [
  ["Ctrl K, ⌘ K", "go to a page, an agent or a person"],
  ["?", "these keys"],
  ["Escape", "close what opened, the chat as well"],
  ["/", "search the turns"],
  ["↑ ↓ Home End", "move between rows, Enter opens one"],
  ["j k", "approvals: move; Enter opens, a approves, e edits, r rejects"],
  ["Ctrl S, ⌘ S", "the editor: save; F8: to the next objection"],
  ["Enter", "the chat: send; Shift Enter starts a new line"],
];

const isTyping = (target: EventTarget | null) =>
  target instanceof HTMLElement && target.closest("input, textarea, select, [contenteditable]") !== null;

/** Ctrl-K leads to anything; `?` says which keys there are. */
export function Palette() {
  const [open, setOpen] = useState<"go" | "keys">();
  useEffect(() => {
    const pressed = (event: globalThis.KeyboardEvent) => {
      if (event.defaultPrevented || event.isComposing) return;
      const isGo = (event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "k";
      if (!isGo && (event.key !== "?" || isTyping(event.target))) return;
      event.preventDefault();
      setOpen(isGo ? "go" : "keys");
    };
    document.addEventListener("keydown", pressed);
    return () => document.removeEventListener("keydown", pressed);
  }, []);
  const close = () => setOpen(undefined);
  return (
    <>
      <Button kind="quiet" aria-keyshortcuts="Control+K" onClick={() => setOpen("go")}>
        Go to… <kbd className="text-xs pointer-coarse:hidden max-sm:hidden">Ctrl K</kbd>
      </Button>
      <Dialog open={open === "go"} onClose={close} title="Go to">
        <Goals onGone={close} />
      </Dialog>
      <Dialog open={open === "keys"} onClose={close} title="Keys">
        <dl className="grid grid-cols-[auto_1fr] gap-x-4 gap-y-1 text-sm">
          {keys.map(([pressed, does]) => (
            <div key={pressed} className="contents">
              <dt className="font-mono text-soft">{pressed}</dt>
              <dd>{does}</dd>
            </div>
          ))}
        </dl>
      </Dialog>
    </>
  );
}

function Goals({ onGone }: { readonly onGone: () => void }) {
  const { agent } = usePlace();
  const [, go] = useLocation();
  const [asked, setAsked] = useState("");
  const [typed, type] = useTyped(asked, setAsked);
  const agents = useApi<AgentListAnswer>(withQuery("/agents", { query: asked, limit: most })).data?.agents ?? [];
  const users = useApi<UserListAnswer>(withQuery("/users", { prefix: asked, limit: most })).data?.users ?? [];
  const letters = typed.trim().toLowerCase();
  const isFound = ({ words, about }: Goal) => `${words} ${about}`.toLowerCase().includes(letters);
  const own = agent === "" ? undefined : withQuery(`/agents/${encodeName(agent)}/schedules`, { limit: 100 });
  const schedules = useApi<ScheduleListAnswer>(own).data?.schedules ?? [];
  const found = goalsOf({ agent, agents, users, schedules })
    .filter(isFound)
    .slice(0, 2 * most);
  const { marked, restart, move } = useMarked(found.length);
  const to = (goal: Goal | undefined) => {
    if (!goal) return;
    onGone();
    go(goal.href);
  };
  const pressed = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing || move(event)) return;
    if (event.key === "Enter") to(found[marked]);
  };
  return (
    <>
      <Input
        role="combobox"
        aria-label="Page, agent or person"
        aria-expanded
        aria-controls="goals"
        aria-activedescendant={found.length > 0 ? `goal-${marked}` : undefined}
        placeholder="Page, agent or person"
        autoComplete="off"
        dir="auto"
        value={typed}
        onChange={({ target }) => {
          restart();
          type(target.value);
        }}
        onKeyDown={pressed}
      />
      <div id="goals" role="listbox" aria-label="Where to go" className="mt-2">
        {found.map((goal, index) => (
          <Option
            key={goal.href}
            id={`goal-${index}`}
            marked={index === marked}
            onChoose={() => to(goal)}
            className="flex justify-between gap-3 rounded-md"
          >
            <bdi>{goal.words}</bdi>
            <span className="text-soft">{goal.about}</span>
          </Option>
        ))}
      </div>
      {found.length === 0 && <p className="text-sm text-soft">Nothing is called that.</p>}
    </>
  );
}
