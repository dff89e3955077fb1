import { eventually } from "../../eventually.ts";
import { plantedWord } from "./mind.ts";
import { type Act, users } from "./plan.ts";
import { type AgentName, asked } from "./servers.ts";
import type { DayStage } from "./stage.ts";

/** What one turn of the day came to: the answer as it was read, and the requests that were made for it. */
export type LivedTurn = {
  readonly mark: string;
  readonly user: string;
  readonly agent: AgentName;
  readonly expects: Act["expects"];
  readonly reply: string;
  readonly bodies: readonly string[];
};

const minutes = (count: number) => count * 60_000;

/** Lives through the acts, one after the other; what is due meanwhile comes when it is due. */
export async function live(stage: DayStage, acts: readonly Act[]): Promise<LivedTurn[]> {
  const turns: LivedTurn[] = [];
  for (const [index, act] of acts.entries()) {
    const { conversation, expects, mark, schedules } = act;
    const { user, agent } = conversation;
    stage.time.now = new Date(stage.time.now.getTime() + minutes(1));
    const at = new Date(stage.time.now.getTime() + minutes(2)).toISOString();
    if (schedules?.by === "operator") {
      const input = `(${schedules.mark} zq${user}) Bring the news ${schedules.word}.`;
      const made = await stage.operator(`POST /agents/${agent}/schedules`, { user, title: "News", input, at });
      if (made.status !== 201) throw new Error(`The schedule was not made: ${JSON.stringify(made.body)}`);
    }
    const about = { user, agent };
    if (act.first) await stage.doFirst(conversation, act.first);
    const taking = watchRequests(stage, agent);
    const reply = await stage.say(conversation, act.input.replace("{at}", at));
    turns.push({ mark, ...about, expects, reply, bodies: taking() });
    if (schedules) {
      const watching = watchRequests(stage, agent);
      const reached = { reply: `Here is the news: ${schedules.word}. More of it when you ask.` };
      const told = await comes(stage, { user, at, word: schedules.word });
      turns.push({ mark: schedules.mark, ...about, expects: reached, reply: told, bodies: watching() });
    }
    if (index === Math.floor(acts.length / 2)) await stage.leaveTerminals();
  }
  return turns;
}

function watchRequests({ servers }: DayStage, agent: AgentName): () => readonly string[] {
  const before = asked(servers.of[agent]).length;
  return () =>
    asked(servers.of[agent])
      .slice(before)
      .map(({ body }) => body);
}

/** The clock is moved to when it is due, and what reaches the user's chat is waited for. */
async function comes(stage: DayStage, due: { user: string; at: string; word: string }): Promise<string> {
  const chat = stage.chatOf(due.user);
  const before = stage.telegram.textsTo(chat).length;
  stage.time.now = new Date(due.at);
  await stage.telegram.until(() => stage.telegram.textsTo(chat).length > before);
  // It is over when it is on record as over: what comes next must find it there.
  await eventually(async () => {
    const runs = await stage.store.runs.list({ agent: "ada", user: due.user, limit: 1 });
    return runs.every(({ endedAt }) => endedAt !== null);
  });
  await stage.allSent();
  return stage.telegram.textsTo(chat).slice(before).join("\n");
}

/** What is wrong with the answers, in words. */
export function wrongAnswers(turns: readonly LivedTurn[]): string[] {
  return turns.flatMap(({ mark, user, expects, reply }) => {
    if ("reply" in expects)
      return reply.includes(expects.reply) ? [] : [`${mark} ${user}: “${reply}”, not “${expects.reply}”`];
    const words = [...(reply.slice(reply.indexOf(expects.opening)).match(plantedWord) ?? [])].sort().join(" ");
    const wanted = [...expects.words].sort().join(" ");
    return reply.includes(expects.opening) && words === wanted ? [] : [`${mark} ${user}: “${reply}”, not “${wanted}”`];
  });
}

const owned = new RegExp(`\\bzq(${users.join("|")})\\b`, "g");

/** Words of one user where another's are, or where nobody's may be. */
export function strayWords(stage: DayStage, turns: readonly LivedTurn[]): string[] {
  const ownersIn = (text: string) => new Set([...text.matchAll(owned)].map(([, owner]) => owner as string));
  const others = (text: string, user: string) => [...ownersIn(text)].filter((owner) => owner !== user);
  const stray = (where: string, found: readonly string[]) => found.map((owner) => `${where}: a word of ${owner}`);
  return [
    ...turns.flatMap(({ mark, user, bodies, reply }) => [
      ...bodies.flatMap((body, index) => stray(`request ${index + 1} of ${mark}`, others(body, user))),
      ...stray(`answer to ${mark}`, others(reply, user)),
    ]),
    ...users.flatMap((user) =>
      stray(`chat of ${user}`, others(stage.telegram.textsTo(stage.chatOf(user)).join("\n"), user)),
    ),
    ...Object.values(stage.servers.of).flatMap((server) =>
      asked(server).flatMap(({ body }) => stray("request with another's", [...ownersIn(body)].slice(1))),
    ),
    ...users.flatMap((user) => stray(`terminal of ${user}`, others(stage.shownTo(user), user))),
    ...stage.log.flatMap((entry) => stray(`log: ${JSON.stringify(entry)}`, [...ownersIn(JSON.stringify(entry))])),
  ];
}
