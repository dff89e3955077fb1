import { reasonOf } from "../../../prompt/problem.ts";
import type { Fault } from "../../model.ts";
import { errorWords } from "../error-words.ts";
import { redact } from "../fault.ts";
import type { ProbeFinding } from "./probe-finding.ts";
import type { ProbedServer } from "./probe-server.ts";
import type { WatchedResponse } from "./watched-response.ts";

/** Why a model did not answer, and what to do about it, from what its server said. */
export async function probeFault(
  server: ProbedServer,
  fault: Fault,
  response: WatchedResponse | undefined,
): Promise<ProbeFinding> {
  const { name, model, address, base, keyFrom, hasKey, secrets } = server;
  const bad = (what: string, hint: string): ProbeFinding => ({ fine: false, what: `“${name}”: ${what}`, hint });
  if (fault.code === "model-aborted")
    return bad(`${address} did not answer in time.`, "Is the server busy, or still loading the model? Try again.");
  if (!response) return bad(fault.message, "See docs/models.md.");
  const { status = 0, type = "", words = "", url } = response;
  if (response.error !== undefined) return bad(...unreachable(response.error, address, base));
  const found = errorWords(words);
  const said = redact(found.texts.join(" "), secrets).slice(0, 300);
  // Some open a stream before they complain: then it stands in the fault.
  const about = [said, ...found.codes, fault.message].join("\n");
  const says = said === "" ? "" : `: ${said}`;
  if (/text\/html/.test(type) || status < 200 || (status >= 300 && status < 400))
    return bad(
      `what answers at ${shown(url)} is a web page or another server, not an API of models (${status}).`,
      await otherPlace(server),
    );
  if (fault.tooLong)
    return bad(`even a short request is too long for it${says}`, `Load the model with a larger context.`);
  if (status === 401 || (status === 403 && !isAboutModel(about)) || isAboutKey.test(about))
    return hasKey
      ? bad(
          `the server refuses the key (${status})${says}`,
          `Check ${keyFrom}: is it the key of this server, whole and not withdrawn?`,
        )
      : bad(`the server wants a key, and none is set (${status})${says}`, `Set ${keyFrom}, as in key: "$MY_KEY".`);
  if (isAboutRoles.test(about))
    return bad(
      `its chat template takes only roles that alternate (${status})${says}`,
      `Set roles: "alternate" for it, in charter.config.ts or models.json.`,
    );
  if (/system role (?:is )?not supported/i.test(about))
    return bad(
      `its chat template takes no system message (${status})${says}`,
      "Give the server another chat template (--chat-template), or take another model: the charter is in the system prompt.",
    );
  if (isAboutModel(about)) {
    const there = await server.names();
    const has =
      there.length === 0
        ? ""
        : ` It has ${there
            .slice(0, 8)
            .map((one) => `“${one}”`)
            .join(", ")}${there.length > 8 ? " …" : ""}.`;
    return bad(`the server has no model “${model}” (${status})${ended(says)}${has}`, server.nameHint);
  }
  if (status === 404 || status === 405)
    return bad(`there is no API of models at ${shown(url)} (${status}).`, await otherPlace(server));
  if (status === 402 || /insufficient_quota|credit|billing/i.test(words))
    return bad(`there is no credit left (${status})${says}`, "See the account the key belongs to.");
  if (fault.code === "model-cut")
    return bad(
      "the answer broke off before its end.",
      "Is something between you and the server that ends long answers? Try again.",
    );
  if (fault.code === "model-busy") return bad(`the server is busy (${status})${says}`, "Try again later.");
  const setting = settingNamed(server, about);
  const hint = setting
    ? `It may be “${setting}”, which is set for it: change it, or take it out.`
    : "The server's own words say what it wants: docs/models.md.";
  return bad(`the server ${status >= 500 ? "failed" : "refuses the request"} (${status})${says}`, hint);
}

const isAboutKey =
  /api[ _-]?key[^.]{0,20}(?:not valid|invalid|incorrect)|(?:invalid|incorrect|missing|no)[^.]{0,12}api[ _-]?key|invalid x-api-key/i;
const isAboutRoles =
  /roles must alternate|must alternate|alternate user\/assistant|only user and assistant|after the optional system message/i;

function isAboutModel(said: string): boolean {
  return /model[^.]{0,120}(?:not found|not exist|does not exist|unknown|not available|not have access)|not a valid model|unknown model|no such model|model identifier|deployment[^.]{0,60}not exist|model_not_found|^model: /im.test(
    said,
  );
}

/** Another sentence may follow it. */
function ended(words: string): string {
  return /[.!?]$/.test(words) ? words : `${words}.`;
}

/** A setting of the entry that the server's words are about. */
function settingNamed({ receiver }: ProbedServer, said: string): string | undefined {
  if (receiver.reasoning !== undefined && /reason|think|effort/i.test(said)) return "reasoning";
  if (receiver.output !== undefined && /max_?(?:completion_|output_)?tokens|output/i.test(said)) return "output";
  return undefined;
}

function unreachable(error: unknown, address: string, base: string): [what: string, hint: string] {
  const code = codeOf(error);
  const { hostname, origin } = new URL(address);
  if (code === "ECONNREFUSED") return [`nothing listens at ${origin}.`, `Start the server, or mend ${base}.`];
  if (code === "ENOTFOUND" || code === "EAI_AGAIN") return [`there is no host “${hostname}”.`, `Fix ${base}.`];
  if (/WRONG_VERSION|EPROTO|SSL/.test(code))
    return [`${origin} does not speak https.`, `Fix ${base}: http:// in place of https://.`];
  if (/CERT|SIGNED|VERIFY/.test(code))
    return [
      `the certificate of ${origin} is not trusted (${code}).`,
      "Give NODE_EXTRA_CA_CERTS the file of who signed it.",
    ];
  return [`${origin} cannot be reached: ${reasonOf(deepest(error))}`, `Is ${base} right, and the network there?`];
}

function deepest(error: unknown): unknown {
  const cause = (Object(error) as { readonly cause?: unknown }).cause;
  return cause === undefined ? error : deepest(cause);
}

function codeOf(error: unknown): string {
  const { code, cause, errors } = Object(error) as { code?: unknown; cause?: unknown; errors?: readonly unknown[] };
  if (typeof code === "string") return code;
  return cause === undefined ? (errors?.[0] === undefined ? "" : codeOf(errors[0])) : codeOf(cause);
}

/** Where its API may be instead: the usual path, if something answers there. */
async function otherPlace({ base, usualPath, address, isApi }: ProbedServer): Promise<string> {
  const there = `${new URL(address).origin}${usualPath}`;
  if (there !== address && (await isApi(there))) return `Its API is at ${there}: set ${base} to that.`;
  return `Check ${base}: it ends where the protocol's paths begin, as in http://localhost:8000/v1.`;
}

function shown(url: string): string {
  const { origin, pathname } = new URL(url);
  return `${origin}${pathname}`;
}
