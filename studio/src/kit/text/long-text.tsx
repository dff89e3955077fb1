import { useMemo, useState } from "react";
import { count } from "../words.ts";
import { blocks, opening } from "./text-blocks.ts";

const shownAtFirst = 3_000;
const blockSize = 8_000;

/**
 * Words of any length, as they are: only ever text, each turned the way its own letters run. Of long ones the beginning
 * stands here at first, and how much more there is; all of them are laid out as they come into view.
 */
export function LongText({
  text,
  max = shownAtFirst,
  className = "",
  open,
  onOpen,
}: {
  readonly text: string;
  readonly max?: number;
  readonly className?: string;
  /** Whether all of it is shown, where the page keeps that itself. */
  readonly open?: boolean;
  readonly onOpen?: (open: boolean) => void;
}) {
  const [own, setOwn] = useState(false);
  const all = open ?? own;
  const first = useMemo(() => opening(text, max), [text, max]);
  const parts = useMemo(() => (all ? blocks(text, blockSize) : [{ text: first, line: true }]), [all, text, first]);
  const cut = first.length < text.length;
  return (
    <div className={`min-w-0 ${className}`}>
      {parts.map((part, index) => (
        <div
          // biome-ignore lint/suspicious/noArrayIndexKey: the same text has the same blocks.
          key={index}
          dir="auto"
          className={`whitespace-pre-wrap [overflow-wrap:anywhere] ${parts.length > 1 ? "[contain-intrinsic-size:auto_400px] [content-visibility:auto]" : ""}`}
        >
          {part.text === "" ? "\u200b" : part.text}
        </div>
      ))}
      {cut && (
        <button
          type="button"
          aria-expanded={all}
          onClick={() => (onOpen ?? setOwn)(!all)}
          className="mt-1 font-medium font-sans text-accent text-xs underline"
        >
          {all ? "Show the beginning" : `Show all ${count(text.length)} characters`}
        </button>
      )}
    </div>
  );
}
