import type { TurnAnswer } from "charter/answers";
import { useRead } from "../api/read.ts";
import { addressOf } from "../app/place.ts";

const longest = 140;

/** What was said when it came up, and the way there. */
export function Cause({ turn }: { readonly turn: string | undefined }) {
  const { data } = useRead<TurnAnswer>(turn === undefined ? undefined : `/api/turns/${encodeURIComponent(turn)}`);
  if (!data || data.input.trim() === "") return null;
  const letters = [...data.input.trim()];
  const words = letters.length > longest ? `${letters.slice(0, longest).join("")}…` : letters.join("");
  return (
    <p className="text-soft [overflow-wrap:anywhere]">
      It came up when you wrote “<bdi>{words}</bdi>”
      {data.session !== null && (
        <>
          {" "}
          <a href={addressOf.talk(data.session)} className="text-accent underline">
            Show
          </a>
        </>
      )}
    </p>
  );
}
