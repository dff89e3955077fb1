/** A row of the old `user_agent_prompt_customizations`, as JSON; `raw` is what the database said, to the letter. */
export type Customization = { readonly row: Readonly<Record<string, unknown>>; readonly raw: string };

/** What one user's rows for one agent come to. */
export type MergedCustomizations = {
  readonly text: string;
  /** In the order in which they were put together. */
  readonly rows: readonly Customization[];
  /** Rows that were switched off: told of, but not in the text. */
  readonly inactive: readonly Customization[];
};

/** The most important first; among equals the oldest, then by type. */
export function mergeCustomizations(rows: readonly Customization[]): MergedCustomizations {
  const [active, inactive] = [true, false].map((on) => rows.filter(({ row }) => (row.is_active !== false) === on));
  const ordered = (active as Customization[]).toSorted(before);
  const texts = ordered.map(({ row }) => customizationText(row)).filter((text) => text.trim() !== "");
  return { text: texts.join("\n\n"), rows: ordered, inactive: inactive as Customization[] };
}

function before({ row: one }: Customization, { row: other }: Customization): number {
  const priority = (row: Customization["row"]) => (typeof row.priority === "number" ? row.priority : -Infinity);
  const time = (row: Customization["row"]) => Date.parse(String(row.created_at)) || 0;
  const type = (row: Customization["row"]) => String(row.customization_type ?? "");
  if (priority(one) !== priority(other)) return priority(other) - priority(one);
  return time(one) - time(other) || (type(one) < type(other) ? -1 : type(one) > type(other) ? 1 : 0);
}

/**
 * A row's words. Where both columns are there, `instructions` is the newer one; what the old schema's own migration put
 * into it was the JSON as text, and is read as what it was.
 */
export function customizationText({ instructions, content }: Customization["row"]): string {
  if (typeof instructions !== "string" || instructions.trim() === "") return readable(content);
  const value = json(instructions);
  return typeof value === "string" || (typeof value === "object" && value !== null) ? readable(value) : instructions;
}

function json(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** JSON as people read it: texts as they are, `key: value` lines, bullets. Nothing is dropped. */
export function readable(value: unknown): string {
  if (value === undefined || value === null || isEmpty(value)) return "";
  return linesOf(value).join("\n");
}

function linesOf(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap((item) => bullet(linesOf(item)));
  if (typeof value !== "object" || value === null) return String(value).split("\n");
  return Object.entries(value).flatMap(([key, inner]) => entry(key, inner));
}

function entry(key: string, value: unknown): string[] {
  if (isEmpty(value) || value === "") return [`${key}: ${JSON.stringify(value)}`];
  const lines = linesOf(value);
  if (typeof value !== "object" || value === null)
    return lines.length === 1 ? [`${key}: ${lines[0]}`] : [`${key}:`, ...lines.map(indented)];
  // One level down everything is a bullet, so that what belongs to the key can be seen.
  const below = Array.isArray(value) ? lines : Object.entries(value).flatMap((one) => bullet(entry(...one)));
  return [`${key}:`, ...below.map(indented)];
}

const bullet = ([first = "", ...more]: readonly string[]): string[] => [`- ${first}`, ...more.map(indented)];
const indented = (line: string): string => (line === "" ? "" : `  ${line}`);

function isEmpty(value: unknown): boolean {
  return typeof value === "object" && value !== null && Object.keys(value).length === 0;
}
