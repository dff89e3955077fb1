import { useLocation, useSearch } from "wouter";
import { encodeName } from "../api/request.ts";

/** Every page of the studio, in the order of its menu. Those of an agent stand under `/agents/<agent>/`. */
export const pageNames = [
  "prompt",
  "sections",
  "turns",
  "compare",
  "cost",
  "chat",
  "conversations",
  "life",
  "memory",
  "approvals",
  "schedules",
  "settings",
] as const;

export type PageName = (typeof pageNames)[number];

export const titles: Readonly<Record<PageName, string>> = {
  prompt: "Prompt",
  sections: "Sections",
  turns: "Turns",
  compare: "Compare",
  cost: "Cost",
  chat: "Chat",
  conversations: "Conversations",
  life: "Life",
  memory: "Memory",
  approvals: "Approvals",
  schedules: "Schedules",
  settings: "Settings",
};

/** What a browser's tab is called on a page: several agents' are told apart. */
export function titleOf(page: string, agent: string): string {
  return [page, agent, "Charter"].filter((part) => part !== "").join(" · ");
}

/** The pages there are for an agent: Life is of those that have an inbox. Of one nobody knows yet, all others. */
export function pagesOf(agent: { readonly needs?: readonly string[] | undefined } | undefined): readonly PageName[] {
  return pageNames.filter((page) => page !== "life" || (agent?.needs?.includes("inbox") ?? false));
}

/** The address of an agent's page, of one thing on it (a section, a turn, a counterpart), and what is asked there. */
export function placeOf(
  agent: string,
  page: PageName,
  one?: string,
  query: Readonly<Record<string, string | number | undefined>> = {},
): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== "");
  const asked = given.length === 0 ? "" : `?${new URLSearchParams(given as [string, string][])}`;
  return `/agents/${encodeName(agent)}/${page}${one === undefined ? "" : `/${encodeName(one)}`}${asked}`;
}

/** Whose page this is, which page, and which one thing of it the address names. Without an agent nothing is named. */
export function usePlace(): { readonly agent: string; readonly page: string; readonly one: string | undefined } {
  // The router tells of every move. What it gives is half decoded, and a name may hold whatever it likes.
  useLocation();
  return placeIn(location.pathname);
}

export function placeIn(path: string): ReturnType<typeof usePlace> {
  const [agent = "", page = "", one] = path.split("/").slice(2).map(decoded);
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
  (change: Readonly<Record<string, string | undefined>>, how?: { readonly replace?: boolean }) => void,
] {
  // The router tells of every move, and gives the address half decoded: it is read as it stands.
  useSearch();
  const [, go] = useLocation();
  const asked = new URLSearchParams(location.search);
  const here = location.pathname;
  return [
    (key) => asked.get(key) ?? undefined,
    (change, { replace = true } = {}) => {
      // What was typed here and comes late is no wish about the page one has gone to since.
      if (location.pathname !== here) return;
      const next = new URLSearchParams(location.search);
      for (const [key, value] of Object.entries(change))
        if (value === undefined || value === "") next.delete(key);
        else next.set(key, value);
      const query = next.toString();
      go(query === "" ? here : `${here}?${query}`, { replace });
    },
  ];
}
