import { useEffect, useRef, useState } from "react";
import type { Assembled, Spans } from "../../assembly/assembled.ts";
import { spansOf } from "../../assembly/use-assembled.ts";
import type { Row } from "./row.ts";
import { isCovered, joined } from "./stretches.ts";
import type { Stretch } from "./word/word.ts";

type Asked = { readonly serial: number; readonly stretches: readonly Stretch[] };
const nothing = { serial: 0, stretches: [], spans: [] as Spans };

/** So far beyond what is looked at is asked for as well, so that not every row that comes into view asks anew. */
const beyond = 8_000;

/** Who wrote what is looked at: asked for as rows come into view. */
export function useSpans(assembled: Assembled, rows: readonly Row[]): Spans {
  const [known, setKnown] = useState<Asked & { readonly spans: Spans }>(nothing);
  const asked = useRef<Asked>(nothing);
  useEffect(() => {
    const { serial } = assembled;
    const { current } = asked;
    if (current.serial === serial && rows.every((row) => isCovered(row, current.stretches))) return;
    const stretches = joined(rows.map(({ start, end }) => ({ start: start - beyond, end: end + beyond })));
    const asking = { serial, stretches };
    asked.current = asking;
    Promise.all(stretches.map(({ start, end }) => spansOf(assembled, start, end))).then(
      (found) => asked.current === asking && setKnown({ ...asking, spans: found.flatMap((spans) => spans ?? []) }),
      () => {},
    );
  });
  return known.serial === assembled.serial ? known.spans : nothing.spans;
}
