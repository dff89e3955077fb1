/** A counterpart's key: the address, lower-cased and trimmed. */
export function counterpart(address: string): string {
  return address.trim().toLowerCase();
}
