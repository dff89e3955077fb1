import { type FormEvent, type KeyboardEvent, type RefObject, useLayoutEffect } from "react";

/** So many characters are the most in one message. */
export const longest = 32_000;
const tallest = 220;

type ComposingOptions = {
  readonly box: RefObject<HTMLTextAreaElement | null>;
  readonly text: string;
  /** There is something to send, and nothing under way. */
  readonly ready: boolean;
  readonly onSend: () => void;
};

/** Where one writes to an agent: as high as its text. Enter sends, Shift and Enter break the line. */
export function useComposing({ box, text, ready, onSend }: ComposingOptions) {
  // biome-ignore lint/correctness/useExhaustiveDependencies: it is as high as its text.
  useLayoutEffect(() => {
    if (!box.current) return;
    box.current.style.height = "auto";
    box.current.style.height = `${Math.min(box.current.scrollHeight, tallest)}px`;
  }, [text, box]);
  // Where the units are few enough, so are the characters.
  const length = text.length > longest ? [...text].length : 0;
  const can = ready && length <= longest;
  const send = (event: FormEvent | KeyboardEvent) => {
    event.preventDefault();
    if (can) onSend();
  };
  const pressed = (event: KeyboardEvent) => {
    // The Enter that ends a composition is not one that sends; some browsers tell it by its code alone.
    const composing = event.nativeEvent.isComposing || event.keyCode === 229;
    if (event.key === "Enter" && !event.shiftKey && !composing) send(event);
  };
  return { can, tooLong: length > longest ? length : undefined, send, pressed };
}
