import { dollars } from "../../kit/words.ts";

type Tone = "good" | "wait" | "bad";

/** How well off an agent is, in plain words, and what follows from it. */
export type TierWords = { readonly title: string; readonly says: string; readonly tone: Tone };

const out = "It makes no model requests: messages wait, and its users get no answers, until you grant more.";

const tiers: Readonly<Record<string, TierWords>> = {
  Normal: { title: "Enough", says: "There is enough for messages and for turns of its own.", tone: "good" },
  LowCycles: {
    title: "Low",
    says: "It still answers messages, but takes no turns of its own, and tools marked sensitive are refused.",
    tone: "wait",
  },
  Critical: { title: "Nearly used up", says: out, tone: "bad" },
  OutOfCycles: { title: "Used up", says: out, tone: "bad" },
};

export function tierWords(tier: string): TierWords {
  return tiers[tier] ?? { title: tier, says: "", tone: "wait" };
}

/** How well off it is; where nothing was granted, or the price of its turns is not known, that there is no saying. */
export function budgetWords(tier: string, unknown: "never-granted" | "no-price" | null): TierWords {
  if (unknown === "never-granted")
    return { title: "No limit", says: "No budget is set: spending is not limited.", tone: "good" };
  if (unknown === "no-price")
    return {
      title: "Not known",
      says: "The price of its model is unknown, so spending cannot be limited.",
      tone: "wait",
    };
  return tierWords(tier);
}

/** Millionths of a dollar as money. */
export function money(micros: number): string {
  return micros < 0 ? `−${dollars(-micros / 1e6)}` : dollars(micros / 1e6);
}

/** How long a budget lasts at the rate of the last day, as people say it. */
export function runwayWords(hours: number): string {
  return hours <= 0 ? "nothing is left" : `lasts ${lengthWords(hours)} at this rate`;
}

function lengthWords(hours: number): string {
  if (hours < 1) return "less than an hour";
  if (hours < 48) return `about ${many(hours, "hour")}`;
  const days = hours / 24;
  if (days < 60) return `about ${many(days, "day")}`;
  return days < 730 ? `about ${many(days / 30.4, "month")}` : "years";
}

function many(value: number, one: string): string {
  const whole = Math.floor(value);
  return `${whole} ${whole === 1 ? one : `${one}s`}`;
}

/** An amount someone typed in dollars, as millionths of one; nothing where it is no such amount. */
export function microsOf(typed: string): number | undefined {
  const plain = typed.trim().replace(/^\$\s*/, "");
  // A comma would be a thousand to one person and a tenth to another.
  if (!/^(?:\d{1,9}(?:\.\d{0,6})?|\.\d{1,6})$/.test(plain)) return undefined;
  const micros = Math.round(Number(plain) * 1e6);
  return micros > 0 ? micros : undefined;
}
