import type { Span } from "charter";
import type { HistoryAnswer, SectionAnswer } from "charter/answers";
import { useEffect, useMemo, useState } from "react";
import { useApi } from "../../../api/query-client.ts";
import { encodeName, withQuery } from "../../../api/request.ts";
import { askWorker } from "../../../assembly/ask-worker.ts";
import type { Assembled, Wanted } from "../../../assembly/assembled.ts";
import { spansOf } from "../../../assembly/use-assembled.ts";
import { placeInPart, placeOfWord, standingPlace } from "../standing-place.ts";
import { type Amendment, standingText, toldHistory } from "./authorship.ts";
import type { Stretch } from "./word.ts";

/** The span a place in the text belongs to, and the prompt it was asked of. */
export function useSpan(assembled: Assembled, at: number): Span | undefined {
  const [found, setFound] = useState<{ readonly serial: number; readonly span: Span | undefined }>();
  useEffect(() => {
    let left = false;
    spansOf(assembled, at, at + 1).then(
      (spans) => left || setFound({ serial: assembled.serial, span: spans?.[0] }),
      () => {},
    );
    return () => {
      left = true;
    };
  }, [assembled, at]);
  const span = found?.serial === assembled.serial ? found.span : undefined;
  return span && span.start <= at && span.end > at ? span : undefined;
}

export type Author =
  | { readonly kind: "reading" }
  /** `exact` is false where the words are made of the standing ones: then it is who changed those last. */
  | { readonly kind: "amended"; readonly amendment: Amendment; readonly exact: boolean }
  | { readonly kind: "original" }
  | { readonly kind: "before"; readonly revision: number };

type Asking = { readonly wanted: Wanted; readonly text: string; readonly span: Span; readonly word: Stretch };

/** What is known of a section, and whose hand wrote this very word of it. */
export function useAuthor({ wanted: { agent, user }, text, span, word }: Asking) {
  const path = `/agents/${encodeName(agent)}/sections/${encodeName(span.section)}`;
  const facts = useApi<SectionAnswer>(withQuery(path, { user }));
  const amendable = span.revision !== null;
  const history = useApi<HistoryAnswer>(amendable ? withQuery(`${path}/history`, { user, limit: 100 }) : undefined);
  const own = facts.data?.name === span.section ? facts.data : undefined;
  const amendments = history.data?.section === span.section ? history.data.amendments : undefined;
  const told = useMemo(
    () => amendments && own && toldHistory(own.original ?? "", amendments, span.revision ?? 0),
    [amendments, own, span.revision],
  );
  const [blamed, setBlamed] = useState<{ readonly told: typeof told; readonly by: Blamed }>();
  useEffect(() => {
    let left = false;
    if (told)
      askWorker({ kind: "blame", told }).then(
        (by) => left || setBlamed({ told, by }),
        () => {},
      );
    return () => {
      left = true;
    };
  }, [told]);
  const by = told && blamed?.told === told ? blamed.by : undefined;
  const author =
    told && by && amendments
      ? authorOf(text, span, word, standingText(told), by, amendments)
      : { kind: "reading" as const };
  return { facts: own, author, problem: facts.error ?? history.error };
}

type Blamed = readonly { readonly start: number; readonly end: number; readonly revision: number }[];

function authorOf(
  text: string,
  span: Span,
  word: Stretch,
  standing: string,
  by: Blamed,
  amendments: readonly Amendment[],
): Author {
  const shown = text.slice(span.start, span.end);
  const at = word.start - span.start;
  const place =
    standingPlace(shown, at, standing) ??
    placeInPart(shown, at, standing) ??
    placeOfWord(text.slice(word.start, word.end), standing);
  const exact = place !== undefined;
  const revision = exact ? by.find(({ start, end }) => start <= place && end > place)?.revision : span.revision;
  if (!revision) return { kind: "original" };
  const amendment = amendments.find((one) => one.revision === revision);
  return amendment ? { kind: "amended", amendment, exact } : { kind: "before", revision };
}
