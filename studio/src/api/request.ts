import { createDoor } from "../kit/door.ts";

/** Declared with the door of both pages: whoever asks here needs it as well. */
export { ApiProblem } from "../kit/door.ts";

/** Whoever is not signed in is sent to where they can, and comes back here afterwards. */
export const { request, getJson, sendJson } = createDoor({
  base: "/api",
  // A worker has no page to send anywhere.
  enter: () => ({ signedOut: () => "document" in globalThis && redirectToSignIn() }),
});

/** The sign-in page sends back to what is kept here. */
const afterSignIn = "charter-after-sign-in";

function redirectToSignIn(): void {
  sessionStorage.setItem(afterSignIn, location.pathname + location.search);
  location.replace("/sign-in");
}

/** An address with what is asked of it; what is undefined or "" is left out. Names are encoded by the caller: `name`. */
export function withQuery(path: string, query: Readonly<Record<string, string | number | undefined>> = {}): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== "");
  return given.length === 0 ? path : `${path}?${new URLSearchParams(given as [string, string][])}`;
}

/** A name as it stands in an address. */
export const encodeName = encodeURIComponent;

/** Whose copy of a section is meant. */
export type Whose = { readonly agent: string; readonly user: string | undefined };

export function sectionPath({ agent, user }: Whose, section: string): string {
  return withQuery(`/agents/${encodeName(agent)}/sections/${encodeName(section)}`, { user });
}
