import { useSyncExternalStore } from "react";

/** The pages, as they stand in the address behind the #. */
export const pages = ["instructions", "notes", "reminders", "waiting", "telegram", "account"] as const;
export type PageName = (typeof pages)[number];

/** Where one is: in a conversation (the newest where none is named, or a new one), or on a page. */
export type Place =
  | { readonly kind: "talk"; readonly session: string | undefined }
  | { readonly kind: "page"; readonly page: PageName };

/** What a new conversation is called in an address. */
export const newTalk = "new";

export function placeIn(hash: string): Place {
  const [first = "", second = ""] = hash.replace(/^#\/?/, "").split("/");
  const page = pages.find((one) => one === first);
  if (page) return { kind: "page", page };
  return { kind: "talk", session: first === "with" && second !== "" ? decoded(second) : undefined };
}

export const addressOf = {
  talk: (session?: string): string => (session === undefined ? "#/" : `#/with/${encodeURIComponent(session)}`),
  page: (page: PageName): string => `#/${page}`,
} as const;

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

/** What stands behind the # and is no place is a code to sign in with. */
export function codeIn(hash: string): string | undefined {
  const code = hash.slice(1);
  return code === "" || code.startsWith("/") ? undefined : code;
}

/** Takes the code out of the address and of the history, which nobody reads it from then. */
export function takeCode(): string | undefined {
  const code = codeIn(location.hash);
  if (code !== undefined) history.replaceState(null, "", location.pathname);
  return code;
}

export function usePlace(): Place {
  return placeIn(useSyncExternalStore(watchHash, () => location.hash));
}

/** The same entry of the history under another address: a new conversation has its id after the first words. */
export function replacePlace(address: string): void {
  history.replaceState(null, "", address);
  dispatchEvent(new HashChangeEvent("hashchange"));
}

function watchHash(watcher: () => void): () => void {
  addEventListener("hashchange", watcher);
  return () => removeEventListener("hashchange", watcher);
}
