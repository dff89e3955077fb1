import { useLocation, useSearch } from "wouter";
import { encodeName } from "../api/request.ts";

/** Every page about one agent. It stands under `/agents/<agent>/`. */
export const pageNames = [
  "prompt",
  "sections",
  "compare",
  "turns",
  "schedules",
  "life",
  "settings",
  "memory",
  "chat",
] as const;

export type PageName = (typeof pageNames)[number];

/** Every page about all agents. It stands at the top. */
export const housePageNames = ["home", "approvals", "money", "people"] as const;

export type HousePageName = (typeof housePageNames)[number];

export const titles: Readonly<Record<PageName | HousePageName, string>> = {
  home: "Home",
  approvals: "Approvals",
  money: "Money",
  people: "People",
  prompt: "Prompt",
  sections: "Sections",
  compare: "Compare",
  turns: "Activity",
  schedules: "Schedules",
  life: "Life",
  settings: "Settings",
  memory: "Notes",
  chat: "Chat",
};

/** A place of the menu: what it is called, and the pages that are its tabs. The first is where it leads. */
export type MenuPlace<Name extends string> = { readonly title: string; readonly pages: readonly Name[] };

/** Of all agents. */
export const housePlaces: readonly MenuPlace<HousePageName>[] = [
  { title: "Home", pages: ["home", "approvals", "money"] },
  { title: "People", pages: ["people"] },
];

/** Of one agent. Chat is in none: it is a drawer beside all of them, and a page only for itself. */
const agentPlaces: readonly MenuPlace<PageName>[] = [
  { title: "Prompt", pages: ["prompt", "sections", "compare"] },
  { title: "Activity", pages: ["turns"] },
  { title: "Automation", pages: ["schedules", "life"] },
  { title: "Settings", pages: ["settings", "memory"] },
];

/** The places there are for an agent: Life is of those that have an inbox. Of one nobody knows yet, all others. */
export function placesOf(
  agent: { readonly needs?: readonly string[] | undefined } | undefined,
): readonly MenuPlace<PageName>[] {
  const isLiving = agent?.needs?.includes("inbox") ?? false;
  return agentPlaces.map(({ title, pages }) => ({ title, pages: pages.filter((page) => page !== "life" || isLiving) }));
}

/** What a browser's tab is called on a page: several agents' are told apart. */
export function titleOf(page: string, agent: string): string {
  return [page, agent, "Charter"].filter((part) => part !== "").join(" · ");
}

type Query = Readonly<Record<string, string | number | undefined>>;

function address(parts: readonly string[], query: Query): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== "");
  const asked = given.length === 0 ? "" : `?${new URLSearchParams(given as [string, string][])}`;
  return `/${parts.map(encodeName).join("/")}${asked}`;
}

/** The address of an agent's page, of one thing on it (a section, a turn, a counterpart), and what is asked there. */
export function placeOf(agent: string, page: PageName, one?: string, query: Query = {}): string {
  return address(["agents", agent, page, ...(one === undefined ? [] : [one])], query);
}

/** What was said with a person or a sender of messages, open in the list of turns; without one, everyone. */
export function saidWith(agent: string, who?: string): string {
  return placeOf(agent, "turns", undefined, { by: "person", user: who, open: who });
}

/** The address of a page about all agents, of one thing on it (an approval, a person), and what is asked there. */
export function housePlaceOf(page: HousePageName, one?: string, query: Query = {}): string {
  return address([page, ...(one === undefined ? [] : [one])], query);
}

/** Whose page this is, which page, and which one thing of it the address names. Of all agents: no agent is named. */
export function usePlace(): { readonly agent: string; readonly page: string; readonly one: string | undefined } {
  // The router tells of every move. What it gives is half decoded, and a name may hold whatever it likes.
  useLocation();
  return placeIn(location.pathname);
}

export function placeIn(path: string): ReturnType<typeof usePlace> {
  const [root = "", ...parts] = path.split("/").slice(1).map(decoded);
  const [agent = "", page = "", one] = root === "agents" ? parts : ["", root, parts[0]];
  return { agent, page, one };
}

/** A name out of an address; an address nobody of ours has written is taken as it is. */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/**
 * What the address asks for, and how to ask for something else: a control's state lives in the address, so that a page
 * can be sent to someone and the way back leads back.
 */
export function useAsked(): [
  (key: string) => string | undefined,
  (
    change: Readonly<Record<string, string | undefined>>,
    how?: { readonly replace?: boolean; readonly state?: object },
  ) => void,
] {
  // The router tells of every move, and gives the address half decoded: it is read as it stands.
  useSearch();
  const [, go] = useLocation();
  const asked = new URLSearchParams(location.search);
  const here = location.pathname;
  return [
    (key) => asked.get(key) ?? undefined,
    (change, { replace = true, ...how } = {}) => {
      // What was typed here and comes late is no wish about the page one has gone to since.
      if (location.pathname !== here) return;
      const next = new URLSearchParams(location.search);
      for (const [key, value] of Object.entries(change))
        if (value === undefined || value === "") next.delete(key);
        else next.set(key, value);
      const query = next.toString();
      go(query === "" ? here : `${here}?${query}`, { replace, ...how });
    },
  ];
}
