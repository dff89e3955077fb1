import { plural } from "../../kit/words.ts";
import type { Life } from "./obstacles.ts";

type Chain = NonNullable<Life["chain"]>;

/** “1,234.5678 ETH”: the whole part in groups, and no more places than matter. Never by way of a number that is not exact. */
export function unitsWords({ amount, symbol }: Pick<Chain["balances"][number], "amount" | "symbol">): string {
  const [whole = "0", part = ""] = amount.split(".");
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, ",");
  // Of what is less than one, four digits that say something.
  const shown = (whole === "0" ? /^0*\d{0,4}/ : /^\d{0,4}/).exec(part)?.[0].replace(/0+$/, "") ?? "";
  return `${grouped}${shown === "" ? "" : `.${shown}`} ${symbol}`;
}

/** How far the replies are. */
export function repliesWords({ waiting, signed, sent, mined, final, held, failed }: Chain["replies"]): string {
  const going = waiting + signed + sent + mined;
  return [
    `${plural(final, "reply", "replies")} final`,
    ...(going > 0 ? [`${going} on the way`] : []),
    ...(held > 0 ? [`${held} held: fees are above the limit`] : []),
    ...(failed > 0 ? [`${failed} failed`] : []),
  ].join(", ");
}
