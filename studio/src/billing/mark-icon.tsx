import {
  CircleAlert,
  CirclePlay,
  CircleSlash,
  CircleX,
  type LucideIcon,
  Pause,
  Triangle,
  Unplug,
  X,
} from "lucide-react";
import { Icon } from "../kit/icon.tsx";

/** Something in a turn that is worth a look, or how it ended where it did not end well: its picture and its colour. */
const marks = {
  amended: [Triangle, "text-amendable-ink"],
  refused: [X, "text-bad"],
  held: [Pause, "text-wait"],
  failed: [CircleAlert, "text-bad"],
  interrupted: [CircleX, "text-bad"],
  erased: [CircleSlash, "text-soft"],
  running: [CirclePlay, "text-live-ink"],
  broken: [Unplug, "text-bad"],
} as const satisfies Readonly<Record<string, readonly [LucideIcon, string]>>;

/** The sign something has in the timeline, wherever it is spoken of. */
export function MarkIcon({ kind }: { readonly kind: keyof typeof marks }) {
  const [shape, colour] = marks[kind];
  return <Icon of={shape} className={`size-3 ${colour}`} />;
}
