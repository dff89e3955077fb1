import type { Tool } from "../tool.ts";

export const usualTools: readonly string[] = ["read", "bash", "edit", "write"];

/** The built-in tools and those of extensions, and which of them are active. */
export type ToolRegistry = {
  /** Registers a tool and makes it active. It replaces a built-in one of its name; of two from extensions the first stays. */
  readonly register: (owner: string, tool: Tool) => "registered" | "replaced" | { readonly twice: string };
  /** Returns built-in ones first, in their order, then those of extensions as they came. */
  readonly all: () => readonly Tool[];
  readonly active: () => readonly Tool[];
  readonly builtIn: (name: string) => Tool | undefined;
  /** Makes the known names active, and returns the unknown ones; `changed`: the active tools are different now. */
  readonly setActive: (names: readonly string[]) => { readonly unknown: readonly string[]; readonly changed: boolean };
  readonly ownedBy: (owner: string) => readonly string[];
  /** Remembers the state; the returned function restores it. */
  readonly rollbackPoint: () => () => void;
};

export function createToolRegistry(builtIn: readonly Tool[], first: readonly string[] = usualTools): ToolRegistry {
  const own = new Map(builtIn.map((tool) => [tool.name, tool]));
  let added = new Map<string, { readonly owner: string; readonly tool: Tool }>();
  let names = new Set(first.filter((name) => own.has(name)));

  const all = () => [
    ...builtIn.map((tool) => added.get(tool.name)?.tool ?? tool),
    ...[...added.values()].flatMap(({ tool }) => (own.has(tool.name) ? [] : [tool])),
  ];
  const active = () => all().filter(({ name }) => names.has(name));
  return {
    all,
    active,
    register: (owner, tool) => {
      const before = added.get(tool.name);
      if (before) return { twice: before.owner };
      added.set(tool.name, { owner, tool });
      names.add(tool.name);
      return own.has(tool.name) ? "replaced" : "registered";
    },
    builtIn: (name) => own.get(name),
    setActive: (wanted) => {
      const known = new Set(all().map(({ name }) => name));
      const before = active().map(({ name }) => name);
      names = new Set(wanted.filter((name) => known.has(name)));
      const after = active().map(({ name }) => name);
      return {
        unknown: [...new Set(wanted)].filter((name) => !known.has(name)),
        changed: JSON.stringify(before) !== JSON.stringify(after),
      };
    },
    ownedBy: (owner) => [...added.values()].flatMap((one) => (one.owner === owner ? [one.tool.name] : [])),
    rollbackPoint: () => {
      const [keptAdded, keptNames] = [new Map(added), new Set(names)];
      return () => {
        added = keptAdded;
        names = keptNames;
      };
    },
  };
}
