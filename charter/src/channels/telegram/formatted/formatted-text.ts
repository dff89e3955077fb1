/** A stretch of a text and how Telegram shows it, in UTF-16 units. */
export type TextEntity = {
  readonly type: "bold" | "italic" | "strikethrough" | "code" | "pre" | "blockquote";
  readonly offset: number;
  readonly length: number;
  /** Of code (`pre`), where its author named one. */
  readonly language?: string;
};

/** A text without marks of its own, and its entities: each lies within the text, and within those it has part of. */
export type FormattedText = { readonly text: string; readonly entities: readonly TextEntity[] };

/**
 * Entities as Telegram takes them: the outer before the inner, none that is empty. Code holds no other and is in no other
 * style, so styles leave out the code within them.
 */
export function soundEntities(text: string, entities: readonly TextEntity[]): TextEntity[] {
  const code = entities.filter(isCode).toSorted((one, other) => one.offset - other.offset);
  return (
    entities
      .flatMap((one) => (isCode(one) || one.type === "blockquote" ? [one] : without(one, code)))
      .flatMap((one) => (isCode(one) ? [one] : trimmed(one, text)))
      .filter(({ length }) => length > 0)
      // Of two that are as long the outer was written last.
      .toReversed()
      .toSorted((one, other) => one.offset - other.offset || other.length - one.length)
  );
}

export function isCode({ type }: TextEntity): boolean {
  return type === "code" || type === "pre";
}

export function endOf({ offset, length }: TextEntity): number {
  return offset + length;
}

function without(style: TextEntity, code: readonly TextEntity[]): TextEntity[] {
  const pieces: TextEntity[] = [];
  let from = style.offset;
  for (const one of code) {
    if (endOf(one) <= from || one.offset >= endOf(style)) continue;
    pieces.push({ ...style, offset: from, length: Math.max(0, one.offset - from) });
    from = endOf(one);
  }
  return [...pieces, { ...style, offset: from, length: Math.max(0, endOf(style) - from) }];
}

function trimmed(one: TextEntity, text: string): TextEntity[] {
  const words = text.slice(one.offset, endOf(one));
  const before = words.length - words.trimStart().length;
  return words.trim() === "" ? [] : [{ ...one, offset: one.offset + before, length: words.trim().length }];
}
