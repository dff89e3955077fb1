import { memo, useMemo, useState } from "react";
import { count } from "../words.ts";
import type { Inline } from "./inline.ts";
import { blocks, opening } from "./long-text.tsx";
import { type Block, markdown } from "./markdown.ts";

const longest = 20_000;
const blockSize = 8_000;

/**
 * An answer as it is meant to be read. Nothing in it becomes a tag: Markdown is read into plain data, and that is drawn.
 * Of a very long one the beginning stands here at first; the rest is then drawn as it was written.
 */
export const Rendered = memo(function Rendered({ text }: { readonly text: string }) {
  const [all, setAll] = useState(false);
  const first = useMemo(() => opening(text, longest), [text]);
  const rest = useMemo(() => (all ? blocks(text.slice(first.length), blockSize) : []), [all, text, first]);
  return (
    <div className="min-w-0 space-y-2 leading-relaxed [overflow-wrap:anywhere]">
      <Blocks of={useMemo(() => markdown(first), [first])} />
      {rest.map((part, index) => (
        <div
          // biome-ignore lint/suspicious/noArrayIndexKey: the same text has the same parts.
          key={index}
          dir="auto"
          className="whitespace-pre-wrap [contain-intrinsic-size:auto_400px] [content-visibility:auto]"
        >
          {part.text}
        </div>
      ))}
      {first.length < text.length && (
        <button
          type="button"
          aria-expanded={all}
          onClick={() => setAll(!all)}
          className="font-medium text-accent text-xs underline"
        >
          {all ? "Show the beginning" : `Show all ${count(text.length)} characters`}
        </button>
      )}
    </div>
  );
});

function Blocks({ of }: { readonly of: readonly Block[] }) {
  // biome-ignore lint/suspicious/noArrayIndexKey: the same text has the same blocks.
  return of.map((block, index) => <One key={index} block={block} />);
}

function One({ block }: { readonly block: Block }) {
  switch (block.kind) {
    case "paragraph":
      return (
        <p dir="auto" className="whitespace-pre-wrap">
          <Words of={block.of} />
        </p>
      );
    case "heading":
      return (
        <p dir="auto" className="pt-1 font-semibold">
          <Words of={block.of} />
        </p>
      );
    case "code":
      return (
        <pre className="whitespace-pre-wrap rounded-md bg-raised px-3 py-2">
          <code>{block.text}</code>
        </pre>
      );
    case "rule":
      return <hr className="border-line" />;
    case "quote":
      return (
        <blockquote className="space-y-2 border-line border-s-2 ps-3 text-soft">
          <Blocks of={block.of} />
        </blockquote>
      );
    case "list":
      return <List {...block} />;
    case "table":
      return <Table {...block} />;
  }
}

function List({ start, items }: Extract<Block, { kind: "list" }>) {
  const all = items.map(({ depth, of }, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: the same text has the same items.
    <li key={index} dir="auto" className="whitespace-pre-wrap" style={{ marginInlineStart: `${depth * 1.25}rem` }}>
      <Words of={of} />
    </li>
  ));
  const looks = "space-y-1 ps-6 marker:text-soft";
  if (start === undefined) return <ul className={`list-disc ${looks}`}>{all}</ul>;
  return (
    <ol start={start} className={`list-decimal ${looks}`}>
      {all}
    </ol>
  );
}

/** A wide one scrolls by itself, also by keys: the page does not. */
function Table({ aligns, head, rows }: Extract<Block, { kind: "table" }>) {
  const looks = "border border-line px-2.5 py-1 align-top [overflow-wrap:normal]";
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for fields, and a page with many tables has no landmark for each.
    <div
      role="group"
      aria-label="Table"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is scrolled by keys.
      tabIndex={0}
      className="max-w-full overflow-x-auto"
    >
      <table className="border-collapse text-sm">
        <thead className="bg-raised">
          <tr>
            {head.map((cell, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: the same text has the same cells.
              <th key={index} scope="col" dir="auto" className={looks} style={{ textAlign: aligns[index] ?? "start" }}>
                <Words of={cell} />
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the same text has the same rows.
            <tr key={at}>
              {row.map((cell, index) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: the same text has the same cells.
                <td key={index} dir="auto" className={looks} style={{ textAlign: aligns[index] ?? "start" }}>
                  <Words of={cell} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Words({ of }: { readonly of: readonly Inline[] }) {
  return of.map((one, index) => {
    if (typeof one === "string") return one;
    // biome-ignore lint/suspicious/noArrayIndexKey: the same words have the same pieces.
    return <Piece key={index} of={one} />;
  });
}

function Piece({ of }: { readonly of: Exclude<Inline, string> }) {
  if (of.kind === "code") return <code className="rounded bg-raised px-1 py-px">{of.text}</code>;
  if (of.kind === "slanted") return <em>{of.text}</em>;
  if (of.kind === "strong")
    return (
      <strong>
        <Words of={of.of} />
      </strong>
    );
  return (
    <a href={of.href} target="_blank" rel="noopener noreferrer" title={of.href} className="text-accent underline">
      {of.text}
    </a>
  );
}
