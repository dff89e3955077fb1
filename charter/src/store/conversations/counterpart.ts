/** The key of a conversation: the sender's address, lower-cased and trimmed. */
export function counterpart(address: string): string {
  return address.trim().toLowerCase();
}
