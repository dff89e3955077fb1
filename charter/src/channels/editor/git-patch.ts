import { unified } from "../../prompt/diff.ts";

/** A change of one file as git writes it; nothing where the last line of either text does not end. */
export function gitPatch(path: string, before: string | null, after: string): string | undefined {
  const texts = [before ?? "", after];
  if (texts.some((text) => text !== "" && !text.endsWith("\n")) || /[\n"\\]/.test(path)) return undefined;
  const [old = "", now = ""] = texts.map((text) => text.slice(0, -1));
  const hunks = unified(old, now, path).split("\n").slice(2).join("\n");
  const [from, to] = [before === null ? "/dev/null" : `a${path}`, `b${path}`];
  const head = [`diff --git a${path} ${to}`, ...(before === null ? ["new file mode 100644"] : [])];
  return `${[...head, `--- ${from}`, `+++ ${to}`].join("\n")}\n${hunks}`;
}
