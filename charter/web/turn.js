import { write } from "./api.js";
import { diffLines, make, timeText } from "./make.js";
import { markdown } from "./markdown.js";

const shown = (value) => (typeof value === "string" ? value : JSON.stringify(value, null, 2));
const reasons = (refusals) =>
  make(
    "ul",
    {},
    (refusals ?? []).map(({ guard, because }) => make("li", {}, `${guard}: ${because}`)),
  );

/** Something that waits for a person, who can decide it here. */
export function heldCard({ held, what, section, tool, input, refusals, because, diff }, decided) {
  const title =
    what === "call" ? `“${tool}” is not run until you say yes.` : `“${section}” stays as it is until you say yes.`;
  const asked = make("p", {}, make("strong", {}, "Waits for you: "), title);
  const said = make("p", { className: "soft" });
  const decide = async (how) => {
    for (const button of buttons) button.disabled = true;
    try {
      await write(`/api/held/${encodeURIComponent(held)}/${how}`);
      const approved =
        what === "call"
          ? "Approved: it is made with your next message."
          : "Approved: it stands from the next prompt on.";
      asked.replaceChildren(make("strong", {}, what === "call" ? `“${tool}”` : `“${section}”`));
      said.textContent = how === "approve" ? approved : "Rejected: nothing is done.";
      actions.remove();
      decided?.(how === "approve" && what === "call");
    } catch (error) {
      said.textContent = error.message;
      for (const button of buttons) button.disabled = false;
    }
  };
  const buttons = [
    make("button", { type: "button", className: "primary", onclick: () => decide("approve") }, "Approve"),
    make("button", { type: "button", onclick: () => decide("reject") }, "Reject"),
  ];
  const actions = make("div", { className: "actions" }, buttons);
  const body =
    what === "call" ? make("pre", {}, shown(input)) : make("div", {}, reasons(refusals), diff ? diffLines(diff) : "");
  return make(
    "div",
    { className: "card held", data: { held } },
    asked,
    because ? make("p", { className: "soft" }, because) : "",
    body,
    actions,
    said,
  );
}

function amendmentCard({ section, revision, diff, quote }) {
  const title = [make("strong", {}, "Amended: "), `“${section}”, revision ${revision}`];
  const cost = quote ? make("p", { className: "soft" }, quote.says) : "";
  return make("div", { className: "card amended" }, make("p", {}, title), diff ? diffLines(diff) : "", cost);
}

function refusalCard({ section, refusals }) {
  const title = [make("strong", {}, "Refused: "), `“${section}” stays as it is.`];
  return make("div", { className: "card refused" }, make("p", {}, title), reasons(refusals));
}

/** A turn on the page: what was asked, what happened, what was answered. */
export function createTurn({ input, channel, at, id }) {
  const from =
    channel === "web" || channel === undefined ? "" : make("span", { className: "label" }, channel ?? "tool call");
  const when = at ? make("time", { dateTime: at, title: timeText(at) }, timeText(at)) : "";
  const happened = make("div", { className: "happened" });
  const answer = make("div", { className: "answer" });
  const status = make("p", { className: "soft busy", hidden: true });
  const asked = make("div", { className: "asked" }, make("p", {}, input));
  const element = make(
    "article",
    { className: "turn", data: id ? { turn: id } : {} },
    make("p", { className: "meta soft" }, from, when),
    asked,
    happened,
    answer,
    status,
  );
  const tools = new Map();
  // A call that was refused, or waits, has come to no result; it did not fail.
  let unmade;
  let drawing = 0;
  const say = (text) => {
    cancelAnimationFrame(drawing);
    drawing = requestAnimationFrame(() => answer.replaceChildren(...markdown(text)));
  };
  const instead = (text, className) => {
    cancelAnimationFrame(drawing);
    busy("");
    answer.replaceChildren(make("p", { className }, text));
  };
  const busy = (text) => {
    status.textContent = text;
    status.hidden = text === "";
  };
  return {
    element,
    say,
    busy,
    named: (turn) => {
      element.dataset.turn = turn;
    },
    fail: (text) => instead(text, "failed"),
    stopped: () => instead("Stopped.", "soft"),
    aside: (text) => happened.append(make("p", { className: "soft aside" }, text)),
    notice: ({ code, message }) =>
      happened.append(make("p", { className: "notice" }, make("strong", {}, code), ` ${message}`)),
    called: ({ toolCallId, toolName, input: given }) => {
      const state = make("span", { className: "what" }, "…");
      const body = make("div", {}, make("pre", {}, shown(given)));
      tools.set(toolCallId, { state, body });
      unmade = undefined;
      happened.append(
        make("details", { className: "tool" }, make("summary", {}, make("code", {}, toolName), state), body),
      );
    },
    came: ({ toolCallId, output, errorText }) => {
      const tool = tools.get(toolCallId);
      if (!tool) return;
      const word = errorText === undefined ? "done" : (unmade ?? "failed");
      tool.state.textContent = word;
      tool.state.className = word === "failed" ? "what failed" : "what";
      tool.body.append(make("pre", {}, shown(errorText ?? output)));
    },
    amended: (data) => happened.append(amendmentCard(data)),
    refused: (data) => {
      unmade = "refused";
      happened.append(refusalCard(data));
    },
    held: (data, decided) => {
      unmade = "waits";
      happened.append(heldCard(data, decided));
    },
  };
}

/** One that is on record. */
export function recorded({ id, input, reply, state, channel, startedAt }) {
  const turn = createTurn({ input, channel, at: startedAt, id });
  if (reply !== null) turn.say(reply);
  else if (state === "running") turn.busy("Still running…");
  else
    turn.fail(
      { failed: "It came to no answer.", interrupted: "It was interrupted.", erased: "It was erased." }[state] ?? state,
    );
  return turn;
}
