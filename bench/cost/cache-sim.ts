import { type BreakpointRules, type PrefixRules, type Provider, providers, type Rules } from "./cache-rules.ts";

/** A stretch of a request. Role and text decide whether a provider has seen it before. */
export type Block = {
  /** For reports only. */
  readonly id: string;
  readonly role: "tools" | "system" | "user" | "assistant";
  readonly text: string;
  /** Instead of counting the text. */
  readonly tokens?: number;
  /** A mark after this block, where the provider may be asked to keep what came so far. */
  readonly cacheBreakpoint?: boolean;
  /** State, replaced with the next request. For reports only. */
  readonly tail?: boolean;
};

/** One request, its blocks in the order in which the provider reads them. */
export type Request = readonly Block[];

/** In tokens. `billed` is what they cost, in fresh tokens. */
export type Bill = {
  readonly total: number;
  readonly read: number;
  readonly write: number;
  readonly fresh: number;
  readonly billed: number;
};
export type Simulation = Bill & { readonly hitRate: number; readonly perRequest: readonly Bill[] };

/** When each request is made, in seconds; or how far they are apart. */
export type Times = readonly number[] | number;

export type Simulator = (requests: readonly Request[], rules: Rules | Provider, times?: Times) => Simulation;

/**
 * What a sequence of requests is billed under a provider's rules for prompt caching. No network, no model.
 *
 * Block boundaries are token boundaries. Output is not billed. Routing misses and early evictions are left out: this is
 * the best a provider promises. Texts are counted and compared once, however many requests and simulations they are in.
 */
export function createSimulator(encode: (text: string) => readonly number[]): Simulator {
  const tokens = new Map<string, readonly number[]>();
  const tokensOf = (text: string): readonly number[] => {
    const known = tokens.get(text);
    if (known) return known;
    const found = encode(text);
    tokens.set(text, found);
    return found;
  };

  /** Equal blocks have one number, so that whole histories are compared without looking into their texts again. */
  const numbers = new Map<string, Map<string, number>>();
  const sizes: number[] = [];
  const numberOf = ({ role, text, tokens: given }: Block): number => {
    const kind = given === undefined ? role : `${role} ${given}`;
    const known = numbers.get(kind) ?? new Map<string, number>();
    if (known.size === 0) numbers.set(kind, known);
    const found = known.get(text);
    if (found !== undefined) return found;
    const number = sizes.push(given ?? tokensOf(text).length) - 1;
    known.set(text, number);
    return number;
  };
  const sizeOf = (number: number): number => sizes[number] as number;

  const withoutCache = (numbered: readonly number[][]): Bill[] =>
    numbered.map((request) => {
      const total = request.reduce((sum, number) => sum + sizeOf(number), 0);
      return { total, read: 0, write: 0, fresh: total, billed: total };
    });

  const common = (one: Request, ones: readonly number[], other: Request, others: readonly number[]): number => {
    let length = 0;
    for (let index = 0; index < Math.min(ones.length, others.length); index++) {
      if (ones[index] !== others[index]) {
        const [a, b] = [one[index] as Block, other[index] as Block];
        const counted = a.role === b.role && a.tokens === undefined && b.tokens === undefined;
        return counted ? length + commonStart(tokensOf(a.text), tokensOf(b.text)) : length;
      }
      length += sizeOf(ones[index] as number);
    }
    return length;
  };

  const byPrefix = (requests: readonly Request[], numbered: readonly number[][], rules: PrefixRules, at: At): Bill[] =>
    requests.map((request, index) => {
      const own = numbered[index] as number[];
      const total = own.reduce((sum, number) => sum + sizeOf(number), 0);
      let best = 0;
      // The request right before is looked at however old it is: providers keep longer than they promise.
      for (let before = index - 1; before >= 0; before--) {
        if (before < index - 1 && at(index) - at(before) > rules.ttl) break;
        best = Math.max(best, common(request, own, requests[before] as Request, numbered[before] as number[]));
      }
      const read = best >= rules.min ? best - (best % rules.granularity) : 0;
      const fresh = total - read;
      return { total, read, write: 0, fresh, billed: read * rules.read + fresh * rules.write };
    });

  const byBreakpoint = (
    requests: readonly Request[],
    numbered: readonly number[][],
    rules: BreakpointRules,
    at: At,
  ): Bill[] => {
    const nodes = createNodes();
    const used: (number | undefined)[] = [];
    return requests.map((request, index) => {
      const now = at(index);
      const path = nodes(numbered[index] as number[]);
      let total = 0;
      const until = (numbered[index] as number[]).map((number) => {
        total += sizeOf(number);
        return total;
      });
      const long = (place: number): boolean => (until[place] as number) >= rules.min;
      const marks = marksOf(request, rules);
      let hit = -1;
      for (const mark of marks)
        for (let place = mark; place > hit && place >= mark - rules.lookback; place--) {
          const last = used[path[place] as number];
          if (last !== undefined && long(place) && now - last <= rules.ttl) hit = place;
        }
      const written = marks.filter(long);
      const last = written.at(-1) ?? -1;
      const read = hit >= 0 ? (until[hit] as number) : 0;
      const write = last > hit ? (until[last] as number) - read : 0;
      const fresh = total - read - write;
      for (const place of hit >= 0 ? [hit, ...written] : written) used[path[place] as number] = now;
      return { total, read, write, fresh, billed: read * rules.read + write * rules.write + fresh };
    });
  };

  return (requests, named, times = 90) => {
    const rules: Rules = typeof named === "string" ? providers[named] : named;
    const at: At = typeof times === "number" ? (index) => index * times : (index) => times[index] as number;
    const numbered = requests.map((request) => request.map(numberOf));
    const perRequest =
      rules.kind === "none"
        ? withoutCache(numbered)
        : rules.kind === "prefix"
          ? byPrefix(requests, numbered, rules, at)
          : byBreakpoint(requests, numbered, rules, at);
    const sum = (key: keyof Bill) => perRequest.reduce((total, bill) => total + bill[key], 0);
    const bill = {
      total: sum("total"),
      read: sum("read"),
      write: sum("write"),
      fresh: sum("fresh"),
      billed: sum("billed"),
    };
    return { ...bill, hitRate: bill.read / bill.total, perRequest };
  };
}

type At = (index: number) => number;

function commonStart(one: readonly number[], other: readonly number[]): number {
  const most = Math.min(one.length, other.length);
  let length = 0;
  while (length < most && one[length] === other[length]) length++;
  return length;
}

function marksOf(request: Request, { max: most, implicit }: BreakpointRules): number[] {
  const marks = request.flatMap((block, place) => (block.cacheBreakpoint ? [place] : [])).slice(-most);
  if (!implicit || marks.includes(request.length - 1)) return marks;
  let last = request.length - 1;
  while (last > 0 && request[last]?.role === "tools") last--;
  return [...marks, last];
}

/** A number for every run of blocks from the start: the same number, the same blocks. */
function createNodes(): (blocks: readonly number[]) => number[] {
  const children = new Map<number, number>();
  return (blocks) => {
    let node = 0;
    return blocks.map((block) => {
      const edge = node * 2 ** 24 + block;
      const known = children.get(edge);
      node = known ?? children.size + 1;
      if (known === undefined) children.set(edge, node);
      return node;
    });
  };
}
