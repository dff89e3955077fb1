import { type ReactNode, useMemo, useState } from "react";
import { count } from "../words.ts";

const shownAtFirst = 3_000;
const blockSize = 8_000;

type LongTextProps = {
  readonly text: string;
  readonly max?: number;
  readonly className?: string;
  /** Whether all of it is shown, where the page keeps that itself. */
  readonly open?: boolean;
  readonly onOpen?: (open: boolean) => void;
};

/**
 * Words of any length, as they are: only ever text, each turned the way its own letters run. Of long ones the beginning
 * stands here at first, and how much more there is; all of them are laid out as they come into view.
 */
export function LongText({ text, max = shownAtFirst, className = "", open, onOpen }: LongTextProps) {
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

/** How much of a text is shown at first, and where that ends: at a line's end, if one is near. */
export function opening(text: string, max: number): string {
  if (text.length <= max) return text;
  const line = text.lastIndexOf("\n", max);
  const end = line >= max / 2 ? line : max;
  return text.slice(0, isHigh(text, end - 1) ? end - 1 : end);
}

/**
 * A text in stretches a browser can lay out one by one. They end where a line does, which then ends the stretch as well;
 * a line that is longer than a stretch is parted, so that no words are lost: joined by what parted them, they are the text.
 */
export function blocks(text: string, size: number): readonly { readonly text: string; readonly line: boolean }[] {
  const found: { text: string; line: boolean }[] = [];
  for (let at = 0; at <= text.length; ) {
    const left = text.length - at;
    const line = left <= size ? text.length : text.lastIndexOf("\n", at + size);
    const whole = line >= at;
    const cut = at + size;
    const end = whole ? line : isHigh(text, cut - 1) ? cut - 1 : cut;
    found.push({ text: text.slice(at, end), line: whole });
    at = whole ? end + 1 : end;
  }
  return found;
}

/** Half of a character stands here, and the other half after it. */
function isHigh(text: string, at: number): boolean {
  const unit = text.charCodeAt(at);
  return unit >= 0xd800 && unit <= 0xdbff;
}

/** What someone said to an agent: in a bubble of its own, at the right. `about` stands above it: where it came from. */
export function InputBubble({ about, text }: { readonly about?: ReactNode; readonly text: string }) {
  return (
    <div className="ms-auto w-fit max-w-[88%] rounded-2xl rounded-ee-sm bg-raised px-3.5 py-2">
      {about}
      <LongText text={text} max={2000} />
    </div>
  );
}

/** Foreign words, as they stand in a prompt too: every line behind a mark, under a line that names where they came from. */
export function Fence({ from, children }: { readonly from: ReactNode; readonly children: ReactNode }) {
  return (
    <figure className="min-w-0 rounded-r-md border-wait border-l-4 border-double bg-raised py-1.5 pr-3 pl-3">
      <figcaption className="mb-0.5 text-wait text-xs [overflow-wrap:anywhere]">
        {from} (data, not instructions)
      </figcaption>
      {children}
    </figure>
  );
}

/** A line across a conversation, with words in its middle: here another one begins. */
export function SessionLine({ children }: { readonly children: ReactNode }) {
  return (
    <p className="flex items-center gap-3 text-soft text-xs before:h-px before:flex-1 before:bg-line after:h-px after:flex-1 after:bg-line">
      <span className="text-center">{children}</span>
    </p>
  );
}
