import { formatEther } from "viem";

/** Why a contract or a chain has refused a post, in a sentence. */
export function refusalText({ message }: Pick<Error, "message">): string {
  const [, name = "", given = ""] = /^(\w+)\((\d*)\)$/.exec(message) ?? [];
  const words = Object.hasOwn(sentences, name) ? sentences[name]?.(given) : undefined;
  if (words !== undefined) return `${words} (${name})`;
  return /enough funds/i.test(message) ? "The sender does not have so much. Give less as --value." : message;
}

const sentences: Readonly<Record<string, (given: string) => string>> = {
  Empty: () => "A message has no words. Give 1 to 4,096 bytes.",
  TooLong: (bytes) => `A message of ${bytes} bytes is too long. Give at most 4,096.`,
  PriceNotPaid: (wei) => `The agent asks ${formatEther(BigInt(wei))} ETH a message. Give that or more as --value.`,
  NotForwarded: () => "The agent is a contract that takes no money.",
};
