import type { Life } from "./obstacles.ts";

export type Chain = NonNullable<Life["chain"]>;

/** “1,234.5678 ETH”: the whole part in groups, and no more places than matter. Never by way of a number that is not exact. */
export function unitsWords({ amount, symbol }: Pick<Chain["balances"][number], "amount" | "symbol">): string {
  const [whole = "0", part = ""] = amount.split(".");
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, ",");
  // Of what is less than one, four digits that say something.
  const shown = (whole === "0" ? /^0*\d{0,4}/ : /^\d{0,4}/).exec(part)?.[0].replace(/0+$/, "") ?? "";
  return `${grouped}${shown === "" ? "" : `.${shown}`} ${symbol}`;
}

/** How many replies are under way, and how far; nothing where none is. */
export function goingWords({ waiting, signed, sent, mined }: Chain["replies"]): string | undefined {
  const going = [
    ...(waiting + signed > 0 ? [`${waiting + signed} to be sent`] : []),
    ...(sent > 0 ? [`${sent} sent`] : []),
    ...(mined > 0 ? [`${mined} in a block that does not count yet`] : []),
  ];
  return going.length === 0 ? undefined : going.join(", ");
}

/** How many replies do not go on by themselves, and why; nothing where none is. */
export function stoppedWords({ held, failed }: Chain["replies"]): string | undefined {
  const stopped = [
    ...(held > 0 ? [`${held} held: the fee is above the limit`] : []),
    ...(failed > 0 ? [`${failed} failed`] : []),
  ];
  return stopped.length === 0 ? undefined : stopped.join(", ");
}
