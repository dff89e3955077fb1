import type { Database } from "../home/database.ts";
import { joinQueries, sql } from "../home/sql.ts";
import { unpackText } from "../texts/packing.ts";
import { sha256 } from "../texts/sha256.ts";
import type { TextRow } from "../texts/text.ts";
import { type FaultList, textName } from "./faults.ts";
import { createSeenTexts, type SeenTexts } from "./seen-texts.ts";

/** A text by its owner and digest, and who names it. */
export type NamedText = { readonly owner: string; readonly digest: string; readonly by: string };

/** Texts on a walk through the store: each row is read once, unpacked once and proved, as long as it is remembered. */
export type TextProofs = {
  /** Reads them all at once. One that cannot be proved is a fault that names the row to blame. */
  readonly prove: (texts: readonly NamedText[]) => Promise<void>;
  /** A text that was just proved; `undefined`, when it could not be. */
  readonly text: (owner: string, digest: string) => string | undefined;
  readonly seen: SeenTexts;
};

type Row = TextRow & { owner: string };

export function createTextProofs(db: Database, faults: FaultList, keep = 16_000_000): TextProofs {
  const known = new Map<string, string | undefined>();
  const missing = new Set<string>();
  const seen = createSeenTexts();
  let size = 0;
  const forgetOldest = () => {
    for (const [name, text] of known) {
      if (size <= keep) return;
      known.delete(name);
      size -= text?.length ?? 0;
    }
  };

  /** The rows of texts that are not known yet, and of all they are packed against. */
  const load = async (texts: readonly NamedText[]): Promise<Map<string, Row>> => {
    const rows = new Map<string, Row>();
    const asked = new Set<string>();
    let wanted: readonly Wanted[] = texts;
    while (wanted.length > 0) {
      const fresh = wanted.filter(({ owner, digest }) => {
        const name = nameOf(owner, digest);
        return !known.has(name) && !asked.has(name) && asked.add(name);
      });
      const found = await rowsOf(db, fresh);
      for (const row of found) rows.set(nameOf(row.owner, row.digest), row);
      wanted = found.flatMap(({ owner, base }) => (base === null ? [] : [{ owner, digest: base }]));
    }
    return rows;
  };

  const blame = (owner: string, digest: string, what: "edited" | "missing", reason: string) =>
    faults.add({ table: "texts", row: textName(owner, digest), what, reason });

  /** `open`: the texts of this owner that wait for this one, to be unpacked against it. */
  const settle = (rows: Map<string, Row>, { owner, digest, by }: NamedText, open: readonly string[]) => {
    const name = nameOf(owner, digest);
    if (known.has(name)) return known.get(name);
    seen.add(owner, digest);
    const text = read(rows, { owner, digest, by }, open);
    known.set(name, text);
    size += text?.length ?? 0;
    return text;
  };

  const read = (
    rows: Map<string, Row>,
    { owner, digest, by }: NamedText,
    open: readonly string[],
  ): string | undefined => {
    const row = rows.get(nameOf(owner, digest));
    if (!row) {
      missing.add(nameOf(owner, digest));
      blame(owner, digest, "missing", `${by} names it`);
      return undefined;
    }
    const waiting = [...open, digest];
    if (row.base !== null && waiting.includes(row.base)) {
      for (const one of waiting.slice(waiting.indexOf(row.base)))
        blame(owner, one, "edited", "it is packed against itself, by whatever way round");
      return undefined;
    }
    const under = { owner, digest: row.base ?? "", by: `digest ${digest}` };
    const base = row.base === null ? undefined : settle(rows, under, waiting);
    if (row.base !== null && base === undefined) {
      // Either of the two may be the one that was changed. A base that is there was judged by itself.
      if (missing.has(nameOf(owner, row.base)))
        blame(owner, digest, "edited", `it is packed against digest ${row.base}, which is not there`);
      return undefined;
    }
    const text = unpackText(row, base);
    if (text !== undefined && sha256(text) === digest) return text;
    blame(owner, digest, "edited", "it is not the text its digest was made of");
    return undefined;
  };

  return {
    seen,
    text: (owner, digest) => known.get(nameOf(owner, digest)),
    prove: async (texts) => {
      forgetOldest();
      const rows = await load(texts);
      for (const text of texts) settle(rows, text, []);
    },
  };
}

type Wanted = { readonly owner: string; readonly digest: string };

function nameOf(owner: string, digest: string): string {
  return `${digest} ${owner}`;
}

const batch = 400;

async function rowsOf(db: Database, wanted: readonly Wanted[]): Promise<Row[]> {
  const rows: Row[] = [];
  for (let from = 0; from < wanted.length; from += batch) {
    const keys = wanted.slice(from, from + batch).map(({ owner, digest }) => sql`(${owner}, ${digest})`);
    rows.push(
      ...(await db.all<Row>(sql`with wanted (owner, digest) as (values ${joinQueries(keys, ", ")})
        select t.* from wanted join texts t on t.owner = wanted.owner and t.digest = wanted.digest`)),
    );
  }
  return rows;
}
