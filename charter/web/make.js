/** An element with its properties and children. Words are only ever set as text: nothing anyone says becomes a tag. */
export function make(tag, about = {}, ...children) {
  const { data = {}, ...properties } = about;
  const element = Object.assign(document.createElement(tag), properties);
  Object.assign(element.dataset, data);
  element.append(...children.flat().filter((child) => child !== undefined && child !== ""));
  return element;
}

export const find = (id) => document.getElementById(id);

export const timeText = (time) => new Date(time).toLocaleString(undefined, { dateStyle: "medium", timeStyle: "short" });

/** A change, line by line; the two lines that name the section are not part of it. */
export function diffLines(diff) {
  const lines = diff.split("\n").slice(2, -1);
  const kind = (line) => ({ "+": "added", "-": "removed", "@": "soft" })[line[0]] ?? "";
  return make(
    "pre",
    { className: "diff" },
    lines.map((line) => make("span", { className: kind(line) }, `${line}\n`)),
  );
}

/** The same of two whole texts: what they begin and end with alike is left out. */
export function changedLines(before, after) {
  const [old, now] = [before === "" ? [] : before.split("\n"), after === "" ? [] : after.split("\n")];
  while (old.length > 0 && old[0] === now[0]) [old.shift(), now.shift()];
  while (old.length > 0 && old.at(-1) === now.at(-1)) [old.pop(), now.pop()];
  return `\n\n${[...old.map((line) => `-${line}`), ...now.map((line) => `+${line}`)].join("\n")}\n`;
}
