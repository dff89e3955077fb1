import { assemble } from "../../charter/src/prompt/assemble.ts";
import { type Charter, defineCharter } from "../../charter/src/prompt/charter.ts";
import { type Part, present, type Readings } from "../../charter/src/prompt/reading.ts";
import { type Peers, priomptAbsent } from "../peers.ts";
import type { Report, Row } from "../report.ts";
import { type Contender, flat, inRounds, ratioOf, spreadOf, type Times, timeOf } from "../rounds.ts";
import { o200k } from "../tokenizers.ts";
import { manyTexts } from "../workloads/fit-4000.ts";

const largest = 10_000;
const repeats = 3;
const sizes = [1_250, 2_500, 5_000, largest, 20_000];

/** Thousands of texts, every one counted before, into half their tokens; and how the work grows with their number. */
export async function fitting(peers: Peers, rounds: number): Promise<Report> {
  const texts = manyTexts(sizes.at(-1) as number);
  const contenders: Contender[] = [];
  const wrong: string[] = [];
  for (const size of sizes) {
    const some = texts.slice(0, size);
    const tokens = Math.floor(o200k.count(some.join("\n")) / 2);
    const jobs = {
      limit: createLimit(some, tokens),
      parts: createParts(some, tokens),
      sections: createSections(some, tokens),
    };
    for (const [name, job] of Object.entries(jobs)) {
      wrong.push(...check(`fit, ${name} of ${size}`, job.prepare()(), tokens));
      contenders.push({ name: `${name} ${size}`, units: repeats, prepare: () => repeated(job) });
    }
  }
  const times = await inRounds(contenders, rounds);
  const row = (what: string, name: string): Row => ({
    case: "fit",
    what,
    time: timeOf(times, `${name} ${largest}`),
    ratio: { ...ratioOf(times, `${name} ${largest}`, `limit ${largest}`), of: "limit" },
    target: 3,
  });
  return {
    title: "Fitting  10,000 texts of 95 characters into half their tokens, counts warm",
    about: "limit = every count at hand, drop from one end, join; the exponent is n^x over 1,250 to 20,000 texts",
    rows: [
      { case: "fit", what: "limit", time: timeOf(times, `limit ${largest}`) },
      row("Charter, 10,000 parts of one section", "parts"),
      row("Charter, 10,000 sections", "sections"),
      { case: "fit", what: "limit, exponent", figure: exponent(times, "limit") },
      { case: "fit", what: "Charter, exponent, parts", figure: exponent(times, "parts"), target: 1.15 },
      { case: "fit", what: "Charter, exponent, sections", figure: exponent(times, "sections"), target: 1.15 },
      await promptTsxRow(peers, texts.slice(0, 1_000), times),
      { case: "fit", what: "Priompt", note: priomptAbsent },
    ],
    wrong,
  };
}

type Fitted = { readonly text: string; readonly tokens: number };
type Job = { readonly prepare: () => () => Fitted };

function repeated(job: Job): (() => unknown)[] {
  return Array.from({ length: repeats }, () => job.prepare()).map((run) => () => flat(run().text));
}

function check(what: string, { text, tokens }: Fitted, limit: number): string[] {
  const whole = o200k.count(text);
  return whole === tokens && whole <= limit ? [] : [`${what}: counted ${tokens}, has ${whole}, may have ${limit}.`];
}

/** The slope of log time over log size, by least squares. */
function exponent(times: Times, name: string): number {
  const points = sizes.map((size) => [Math.log(size), Math.log(timeOf(times, `${name} ${size}`).median)] as const);
  const mean = (numbers: number[]) => numbers.reduce((sum, number) => sum + number, 0) / numbers.length;
  const [x, y] = [mean(points.map(([size]) => size)), mean(points.map(([, time]) => time))];
  return (
    points.reduce((sum, [size, time]) => sum + (size - x) * (time - y), 0) /
    points.reduce((sum, [size]) => sum + (size - x) ** 2, 0)
  );
}

function createLimit(texts: readonly string[], tokens: number): Job {
  const pieces = texts.map((text) => ({ text: `${text}\n` }));
  const counts = new Map(pieces.map((piece) => [piece, o200k.count(piece.text)]));
  const run = () => {
    let size = 0;
    for (const piece of pieces) size += counts.get(piece) as number;
    let kept = pieces.length;
    while (size > tokens) size -= counts.get(pieces[--kept] as { text: string }) as number;
    let text = "";
    for (let index = 0; index < kept; index++) text += (pieces[index] as { text: string }).text;
    return { text, tokens: size };
  };
  return { prepare: () => run };
}

/** Many parts of one section. A reading is new each time, its parts are not: they were counted before. */
function createParts(texts: readonly string[], tokens: number): Job {
  const parts: Part[] = texts.map((text) => ({ text, kind: "note" }));
  const charter = defineCharter({
    name: "parts",
    layers: [{ name: "all", mutability: "live", sections: [{ name: "notes", trust: "own", sources: [] }] }],
    givesWay: [{ section: "notes", parts: "note", from: "end", told: "({missing} left out)" }],
  });
  return createJob(charter, tokens, () => ({ notes: present([...parts]) }));
}

/** Many sections of one part each, each with its own rule. */
function createSections(texts: readonly string[], tokens: number): Job {
  const named = texts.map((text, index) => ({ name: `note-${index}`, part: { text } }));
  const charter = defineCharter({
    name: "sections",
    separator: "\n",
    layers: [
      { name: "all", mutability: "live", sections: named.map(({ name }) => ({ name, trust: "own", sources: [] })) },
    ],
    givesWay: named.toReversed().map(({ name }) => ({ section: name, from: "end" as const, told: "(left out)" })),
  });
  return createJob(charter, tokens, () => Object.fromEntries(named.map(({ name, part }) => [name, present([part])])));
}

function createJob(charter: Charter, tokens: number, read: () => Readings): Job {
  const prepare = () => {
    const readings = read();
    return () => {
      const prompt = assemble(charter, readings, { tokens, tokenizer: o200k });
      return { text: prompt.text, tokens: prompt.tokens(o200k).total };
    };
  };
  prepare()();
  return { prepare };
}

/** Once, and on a tenth of the texts: the work grows with the square of their number. */
async function promptTsxRow({ promptTsx, absent }: Peers, texts: readonly string[], times: Times): Promise<Row> {
  const what = "@vscode/prompt-tsx, 1,000 texts, once";
  if (!promptTsx) return { case: "fit", what, note: `absent: ${absent}` };
  const tokens = Math.floor(o200k.count(texts.join("\n")) / 2);
  const known = new Map<string, number>();
  const count = (text: string) => {
    let found = known.get(text);
    if (found === undefined) {
      found = o200k.count(text);
      known.set(text, found);
    }
    return found;
  };
  const chunks = texts.map((text, index) => ({ text: `${text}\n`, priority: texts.length - index }));
  await promptTsx(chunks, tokens, { ...o200k, count });
  const began = performance.now();
  flat(await promptTsx(chunks, tokens, { ...o200k, count }));
  const took = performance.now() - began;
  const limit = timeOf(times, `limit ${sizes[0]}`).median * (texts.length / (sizes[0] as number));
  return { case: "fit", what, time: spreadOf([took]), ratio: { ...spreadOf([took / limit]), of: "limit" } };
}
