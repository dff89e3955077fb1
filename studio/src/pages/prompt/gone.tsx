import { plural } from "../../kit/words.ts";
import { lineGap } from "../../strata/layout.ts";

type GoneProps = {
  /** Tokens that fill the picture, and those of the prompt. */
  readonly whole: number;
  readonly kept: number;
  /** The picture's. */
  readonly height: number;
};

const leastForWords = 20;

/** Under the strata, where a limit took something away: the room it had. */
export function Gone({ whole, kept, height }: GoneProps) {
  const free = whole <= kept ? 0 : ((height - lineGap.wide) * (whole - kept)) / whole - 6;
  if (free < leastForWords) return null;
  return (
    <p
      style={{ height: free }}
      className="pointer-events-none absolute inset-x-0 bottom-0 flex items-center justify-center overflow-hidden rounded-[2px] border border-line border-dashed text-soft text-xs leading-none"
    >
      {plural(whole - kept, "token")} trimmed
    </p>
  );
}
