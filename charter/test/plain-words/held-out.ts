/** Wording that had to be decoded, and what to say instead. A space in a pattern is any white space. */
export type HeldOut = {
  readonly pattern: RegExp;
  readonly plain: string;
  /** The pattern is a whole label: a button, a heading, a column. */
  readonly label?: true;
};

const phrase = (source: string, plain: string): HeldOut => ({
  pattern: new RegExp(source.replaceAll(" ", "\\s+"), "gi"),
  plain,
});
const label = (source: string, plain: string): HeldOut => ({
  pattern: new RegExp(`^(?:${source})$`, "g"),
  plain,
  label: true,
});

export const heldOut: readonly HeldOut[] = [
  phrase("\\bg(?:ave|ives?|iving|iven) way\\b", "trimmed, trimmed to fit"),
  phrase("\\bby every hand\\b|\\bwhose hand\\b", "editable by everyone; who can change it"),
  phrase("\\bnobody (?:changes|amends)\\b", "read-only"),
  phrase("\\bafresh\\b", "generated per turn"),
  phrase("\\bborn\\b", "the original text; initially empty"),
  phrase("(?<![-\\w])(?:stands?|stood)\\b(?! in for\\b|-| for\\b| still\\b)", "current; is, comes, appears"),
  phrase("\\bstanding (?:words?|texts?)\\b", "current text"),
  phrase("\\bforeign words?\\b", "untrusted text"),
  phrase("\\bcache broke\\b|\\bbr(?:oke|eaks?|oken) the (?:prompt )?cache", "cache miss; caused a cache miss"),
  phrase("\\btold (?:in|after) the history\\b", "sent as an update"),
  phrase("\\bthe tail\\b", "dynamic state"),
  phrase("\\bwhose copy\\b|\\bof which user\\b|\\bfor whom\\b", "the user"),
  phrase("\\bnobody(?:[’']s)? in particular\\b", "no specific user"),
  phrase("\\bsay it again\\b", "Retry; send it again"),
  label("Not now|Not yet|Leave it as it is", "Cancel"),
  phrase("\\bfor good\\b(?! reason)", "permanently"),
  phrase("\\bcomes? no more\\b", "Cancel this schedule? The schedule is cancelled"),
  phrase("\\bagain and again\\b", "recurring, repeatedly"),
  phrase("\\bcomes? by itself\\b", "scheduled; runs on its own"),
  phrase("\\bwill come\\b", "upcoming; is due"),
  label("Set up", "Settings"),
  label("Receiver", "Model"),
  phrase("\\bit said:", "Reply; its output"),
  label("Took", "Duration"),
  label("Began", "Started"),
  phrase("\\b(?:what|and) became of\\b", "status, outcome"),
  phrase("\\bjust now: it was read\\b", "empty"),
  phrase("\\bthe guards: ", "Checks passed"),
  phrase("\\bit would be revision\\b", "Saves as revision"),
  label("Words|Words of.*", "Text"),
  phrase("\\b(?:original|current|earlier|fixed|same) words\\b|\\bwords were erased\\b", "text"),
  label("Held", "Approvals; Needs approval"),
  phrase("\\bin the declared order\\b", "in the charter’s order"),
  phrase("\\bunless said otherwise\\b", "default: …"),
  phrase("\\b(?:is|are) the most(?=[.;,)“”]|$| in\\b| this\\b| that can\\b)", "the limit is …"),
];

const sourcesOf = (kind: "labels" | "phrases") =>
  heldOut
    .filter(({ label = false }) => label === (kind === "labels"))
    .map(({ pattern }) => pattern.source)
    .join("|");
const phrases = new RegExp(sourcesOf("phrases"), "i");
const labels = new RegExp(sourcesOf("labels"));
/** A label is a whole string, or all that is between two tags. */
const labelsInCode = new RegExp(`["'\`>}]\\s*(?:${sourcesOf("labels").replaceAll(/[$^]/g, "")})`);
const comments = /^\s*(?:\/\/|\/?\*).*/gm;

/** Whether a text says any of it, in one look. */
export const says = (text: string): boolean => phrases.test(text) || labels.test(text);

/** Whether a file of code may say any of it: most need not be parsed. */
export function maySay(source: string): boolean {
  const code = source.replaceAll(comments, "");
  return phrases.test(code) || labelsInCode.test(code);
}
