import { opinionQuestion, proposedText, standingText } from "../amend/second-opinion.ts";
import type { ModelRequest } from "./model.ts";

/** Words that are seldom innocent in a prompt. A model would weigh them; a script can only say that they are new. */
const suspect =
  /\b(?:ignor|disregard|overrid|overrul|supersed|supplant|forget|outdated|obsolete|precedence|outrank|jailbreak|set(?:ting)? aside)\w*|\bpriorit\w+ over\b|\bno longer (?:apply|applies|bind|binds|hold|holds|valid)\b/gi;

/** The stand-in's second opinion: one bare word, where it is asked for one. */
export function standInOpinion({ system, messages }: ModelRequest): "yes" | "no" | undefined {
  if (system.length !== 1 || system[0]?.text !== opinionQuestion) return undefined;
  const [asked] = messages;
  const data = asked?.role === "user" ? asked.text : "";
  const before = wordsIn(quotedUnder(data, standingText));
  const news = wordsIn(quotedUnder(data, proposedText)).filter((word) => !before.includes(word));
  return news.length > 0 ? "yes" : "no";
}

function wordsIn(text: string): string[] {
  return [...text.matchAll(suspect)].map(([word]) => word.toLowerCase());
}

/** The lines behind the fence that this name opens; a line of theirs that looks like an opening stands behind it too. */
function quotedUnder(data: string, name: string): string {
  const lines = data.split("\n");
  const start = lines.findIndex((line) => line.startsWith(`${name} wrote `));
  if (start === -1) return "";
  const rest = lines.slice(start + 1);
  const end = rest.findIndex((line) => !line.startsWith(">"));
  return rest.slice(0, end === -1 ? rest.length : end).join("\n");
}
