import { useAsked } from "../../../../app/place.ts";

/** What of a request is unfolded, and which stretch of its text is chosen: both are in the address. */
export type Folds = {
  readonly isOpen: (key: string) => boolean;
  readonly setOpen: (key: string, open: boolean) => void;
  readonly allOpen: boolean;
  readonly setAll: (open: boolean) => void;
  readonly chosenIn: (key: string) => number | undefined;
  readonly choose: (key: string, start: number | undefined) => void;
};

/** `open=all`, or the keys of what is open; `open=all,-m3`: all but one. */
export function openKeys(asked: string | undefined): { readonly all: boolean; readonly keys: ReadonlySet<string> } {
  const given = (asked ?? "").split(",").filter((key) => key !== "");
  const all = given.includes("all");
  return { all, keys: new Set(given.filter((key) => key !== "all").map((key) => (all ? key.replace(/^-/, "") : key))) };
}

export function isKeyOpen(asked: string | undefined, key: string): boolean {
  const { all, keys } = openKeys(asked);
  return all !== keys.has(key);
}

/** What the address says once a part is opened or folded. */
export function withKey(asked: string | undefined, key: string, open: boolean): string | undefined {
  const { all, keys } = openKeys(asked);
  const others = [...keys].filter((one) => one !== key);
  const next = open === all ? others : [...others, key];
  const words = [...(all ? ["all"] : []), ...next.map((one) => (all ? `-${one}` : one))];
  return words.length === 0 ? undefined : words.join(",");
}

/** `chosen=s.120`: the stretch of that part which begins there. */
export function chosenStart(asked: string | undefined, key: string): number | undefined {
  const [, part, start] = /^(.+)\.(\d{1,9})$/.exec(asked ?? "") ?? [];
  return part === key ? Number(start) : undefined;
}

export function useFolds(): Folds {
  const [asked, setAsked] = useAsked();
  const open = asked("open");
  return {
    isOpen: (key) => isKeyOpen(open, key),
    setOpen: (key, next) => setAsked({ open: withKey(open, key, next) }),
    allOpen: openKeys(open).all,
    setAll: (next) => setAsked({ open: next ? "all" : undefined }),
    chosenIn: (key) => chosenStart(asked("chosen"), key),
    choose: (key, start) => setAsked({ chosen: start === undefined ? undefined : `${key}.${start}` }),
  };
}
