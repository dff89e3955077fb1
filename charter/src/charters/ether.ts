/** An amount of the smallest units as people write it: 1500000000000000000 of 18 places is 1.5. */
export function unitsText(amount: bigint, decimals: number): string {
  const sign = amount < 0n ? "-" : "";
  const digits = String(amount < 0n ? -amount : amount).padStart(decimals + 1, "0");
  const whole = digits.slice(0, digits.length - decimals);
  const part = digits.slice(digits.length - decimals).replace(/0+$/, "");
  return `${sign}${whole}${part === "" ? "" : `.${part}`}`;
}

/** Wei as ETH. */
export function etherText(wei: bigint): string {
  return unitsText(wei, 18);
}

/** ETH as people write it, in wei; nothing where it is no such amount. */
export function weiOf(text: string): bigint | undefined {
  const [, whole, part = ""] = /^(\d{1,12})(?:\.(\d{1,18}))?$/.exec(text) ?? [];
  return whole === undefined ? undefined : BigInt(whole) * 10n ** 18n + BigInt(part.padEnd(18, "0"));
}

/** Twenty bytes in hex. Upper and lower case are the same address. */
export function isAddress(text: string): boolean {
  return /^0x[0-9a-f]{40}$/i.test(text);
}
