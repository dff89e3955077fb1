import { count, plural } from "../kit/words.ts";

/** The picture, worked out: its bands from the top, and where the cached prefix ends. All in pixels. */
export type Layout = {
  readonly bands: readonly Band[];
  /** After the last stratum that every request begins with. `tokens` is how many those have. */
  readonly line: { readonly at: number; readonly tokens: number };
};

/** So many bands are drawn alone; what is thinner shares one with its neighbours. */
const maxAlone = 200;

/** So many pixels the picture leaves free for the words at the line where the cached prefix ends. */
export const lineGap = 22;

/** The order they are delivered in: what every request begins with, then what is sent as messages. */
export function delivered(strata: readonly Stratum[]): readonly Stratum[] {
  const tail = strata.filter((stratum) => stratum.tail);
  return tail.length === 0 ? strata : [...strata.filter((stratum) => !stratum.tail), ...tail];
}

/**
 * One band for each stratum, as high as it has tokens; at most some 400 however many there are.
 *
 * `scale` tokens fill the height, or all of them where they are more. `gap` pixels stay free around the line.
 */
export function layout(strata: readonly Stratum[], height: number, scale = 0, gap = 0): Layout {
  const all = height > 0 ? delivered(strata) : [];
  const sum = all.reduce((total, { tokens }) => total + tokens, 0);
  const most = Math.max(sum, scale);
  const pixels = most === 0 ? 0 : Math.max(0, height - gap) / most;
  const first = all.findIndex(({ tail }) => tail);
  const end = first === -1 ? all.length : first;
  const prefix = bandsOf(all.slice(0, end), 0, pixels, height / maxAlone);
  const tokens = all.slice(0, end).reduce((total, stratum) => total + stratum.tokens, 0);
  const at = tokens * pixels;
  const tail = bandsOf(all.slice(end), at + gap, pixels, height / maxAlone);
  return { bands: [...prefix, ...tail], line: { at: at + gap / 2, tokens } };
}

/** Thin neighbours are gathered until they can be seen together. */
function bandsOf(strata: readonly Stratum[], top: number, pixels: number, least: number): Band[] {
  const bands: Band[] = [];
  let from = top;
  let thin: Stratum[] = [];
  let thinHeight = 0;
  const close = () => {
    if (thin.length > 0) bands.push(bandOf(thin, from, thinHeight));
    from += thinHeight;
    thin = [];
    thinHeight = 0;
  };
  for (const stratum of strata) {
    const height = stratum.tokens * pixels;
    if (height >= least) close();
    thin.push(stratum);
    thinHeight += height;
    if (thinHeight >= least) close();
  }
  close();
  return bands;
}

function bandOf(strata: readonly Stratum[], from: number, height: number): Band {
  const tokens = { fixed: 0, amendable: 0, live: 0 };
  for (const stratum of strata) tokens[stratum.mutability] += stratum.tokens;
  const [first] = strata as readonly [Stratum];
  const kinds = ["fixed", "amendable", "live"] as const;
  const mutability = kinds.reduce((one, other) => (tokens[other] > tokens[one] ? other : one), first.mutability);
  return { from, height, mutability, cut: strata.some(({ cut }) => cut), strata };
}

/** Which band is at this height of the picture, and which stratum of it. */
export function bandAt(bands: readonly Band[], y: number): { band: Band; index: number; stratum: Stratum } | undefined {
  const index = bands.findIndex(({ from, height }) => y >= from && y < from + height);
  const band = bands[index];
  if (band === undefined) return undefined;
  const tokens = band.strata.reduce((sum, stratum) => sum + stratum.tokens, 0);
  let left = ((y - band.from) / band.height) * tokens;
  for (const stratum of band.strata) {
    left -= stratum.tokens;
    if (left < 0) return { band, index, stratum };
  }
  return { band, index, stratum: band.strata[0] as Stratum };
}

/** What is said of a band: its section, or how many sections share it. */
export function bandTitle({ strata }: Band): string {
  const [first, ...others] = strata as readonly [Stratum, ...Stratum[]];
  return others.length === 0 ? first.name : `${first.name} and ${count(others.length)} more`;
}

export function bandTokens({ strata }: Band): number {
  return strata.reduce((sum, { tokens }) => sum + tokens, 0);
}

/** One band of the picture: a section, as high as it has tokens. */
export type Stratum = {
  readonly name: string;
  readonly layer: string;
  readonly mutability: "fixed" | "amendable" | "live";
  readonly tokens: number;
  /** It gave something up to fit: hatched. */
  readonly cut?: boolean;
  /** How many amendments led to its words; none, or null, where nobody changed them. */
  readonly revision?: number | null;
  /** It stands behind the cached prefix: it is sent as a message, when it changes. */
  readonly tail?: boolean;
};

/** A band as it is drawn, from the top, in pixels. One too thin to be seen is drawn together with its neighbours. */
export type Band = {
  readonly from: number;
  readonly height: number;
  readonly mutability: Stratum["mutability"];
  readonly cut: boolean;
  readonly strata: readonly Stratum[];
};

/** How a prefix is cached: so many tokens are needed (null: nothing is cached, undefined: nobody knows), so many of tools stand before it. */
export type CacheRule = {
  readonly min: number | null | undefined;
  readonly tools?: number | undefined;
  /** Of a request that was sent: the provider read and wrote nothing of it. */
  readonly unused?: boolean;
  /** Of a request that was sent: the provider did not say what it read and wrote. */
  readonly unknown?: boolean;
};

/** What is said at the line where the prefix ends. Tools stand before the prompt in a request, and are cached with it. */
export function lineText(tokens: number, { min, tools = 0, unused = false, unknown = false }: CacheRule): string {
  const all = tools === 0 ? plural(tokens, "token") : `${plural(tokens, "token")} after ${count(tools)} of tools`;
  if (unknown) return `prefix ends · ${all}`;
  if (unused) return `prefix ends · ${all} · not cached`;
  if (min === null) return `prefix ends · ${all} · not cached by this model`;
  if (min !== undefined && tokens + tools < min)
    return `prefix ends · ${all} · too short to be cached (${count(min)} needed)`;
  return `cached prefix ends · ${all}`;
}
