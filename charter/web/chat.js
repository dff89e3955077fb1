import { ask, events, read, write } from "./api.js";
import { changedLines, find, make, timeText } from "./make.js";
import { createPrompt } from "./prompt.js";
import { createTurn, heldCard, recorded } from "./turn.js";

let me;
let agent;
let session;
let running;
const input = find("input");
const turns = find("turns");
const prompt = createPrompt(() => agent && { agent, user: me.user });
const path = (rest) => `/api/agents/${encodeURIComponent(agent)}/${rest}`;
const whose = (more) => new URLSearchParams({ user: me.user, ...more });

function note(text = "") {
  find("note").textContent = text;
  find("note").hidden = text === "";
}

/** What cannot be done is said; the page goes on. */
const kindly = (work) => async (event) => {
  event?.preventDefault?.();
  try {
    await work(event);
  } catch (error) {
    note(error.message);
  }
};

function toEnd() {
  find("talk").scrollTop = find("talk").scrollHeight;
}

const nearEnd = () => find("talk").scrollHeight - find("talk").scrollTop - find("talk").clientHeight < 120;

/** Shows a turn as it goes on. The text of the message is what is left of it: what is taken back goes. */
async function follow(turn, body) {
  let text = "";
  for await (const chunk of events(path("turns"), body)) {
    const stay = nearEnd();
    const { type, data } = chunk;
    if (type === "start") {
      ({ session } = chunk.messageMetadata);
      running = chunk.messageId;
      turn.named(running);
      find("stop").hidden = false;
    }
    if (type === "start-step") turn.busy("Thinking…");
    if (type === "text-delta") {
      text += chunk.delta;
      turn.busy("");
      turn.say(text);
    }
    if (type === "reset-step") {
      text = "";
      turn.say("");
    }
    if (type === "tool-input-available") turn.called(chunk);
    if (type === "tool-output-available" || type === "tool-output-error") turn.came(chunk);
    if (type === "data-aside") turn.aside(data.text);
    if (type === "data-amendment") turn.amended(data);
    if (type === "data-refusal") turn.refused(data);
    if (type === "data-held") turn.held(data, decided);
    if (type === "data-notice") turn.notice(data);
    if (type === "data-retry") turn.busy(`Asked again in ${(data.waitMs / 1000).toFixed(1)} s. ${data.because ?? ""}`);
    if (type === "error") turn.fail(chunk.errorText);
    if (type === "abort") turn.stopped();
    if (stay) requestAnimationFrame(toEnd);
  }
  return text;
}

const send = kindly(async () => {
  const words = input.value.trim();
  if (words === "" || !agent || running !== undefined) return;
  note();
  input.value = "";
  grow();
  running = "";
  const turn = createTurn({ input: words });
  turns.querySelector(".welcome")?.remove();
  turns.append(turn.element);
  turn.busy("…");
  toEnd();
  find("send").hidden = true;
  find("agent").disabled = true;
  find("status").textContent = "Answering…";
  try {
    find("status").textContent = await follow(turn, { input: words, user: me.user, ...(session ? { session } : {}) });
  } catch (error) {
    turn.fail(error.message);
  } finally {
    turn.busy("");
    running = undefined;
    find("stop").hidden = true;
    find("send").hidden = false;
    find("agent").disabled = false;
    input.focus();
    refresh();
  }
});

/** What came by itself since: from a schedule, from Telegram. Runs that had nothing to report are left out. */
async function catchUp() {
  const whom = agent;
  if (running !== undefined) return;
  const [{ turns: listed }, { runs }] = await Promise.all([
    read(`${path("turns")}?${whose({ limit: 30 })}`),
    read(`${path("runs")}?${whose({ limit: 30 })}`),
  ]);
  if (running !== undefined || agent !== whom) return;
  const known = new Map([...turns.querySelectorAll("[data-turn]")].map((one) => [one.dataset.turn, one]));
  const quiet = new Set(runs.filter(({ state }) => state === "quiet").map(({ turn }) => turn));
  const stay = nearEnd();
  for (const one of listed.reverse()) {
    const before = known.get(one.id);
    if (quiet.has(one.id) || (before && !before.querySelector(".busy:not([hidden])"))) continue;
    const { element } = recorded(one);
    if (before) before.replaceWith(element);
    else turns.append(element);
  }
  if (!turns.firstChild) turns.append(welcome());
  else if (turns.children.length > 1) turns.querySelector(".welcome")?.remove();
  if (stay) requestAnimationFrame(toEnd);
}

function welcome() {
  const words = `Say hello to ${agent}. “Always answer in French.” becomes a standing instruction; “Prompt” shows what the model is told.`;
  return make("p", { className: "welcome soft" }, words);
}

async function showHeld() {
  const whom = agent;
  const { held, calls } = await read(`/api/held?${new URLSearchParams({ agent })}`);
  if (agent !== whom) return;
  const mine = ({ scope, id }) =>
    (scope.user === undefined || scope.user === me.user) && !turns.querySelector(`[data-held="${CSS.escape(id)}"]`);
  const cards = [
    ...held.filter(mine).map(({ id, before, after, ...one }) => {
      return { held: id, what: "proposal", ...one, diff: changedLines(before, after) };
    }),
    ...calls.filter(mine).map(({ id, ...one }) => ({ held: id, what: "call", ...one })),
  ].map((one) => heldCard(one, decided));
  const title = cards.length === 1 ? "Something waits for you" : `${cards.length} things wait for you`;
  const wasOpen = find("held").querySelector("details")?.open ?? cards.length === 1;
  const all = make("details", { open: wasOpen }, make("summary", {}, title), make("div", {}, cards));
  const stay = nearEnd();
  find("held").replaceChildren(...(cards.length === 0 ? [] : [all]));
  if (stay) toEnd();
}

/** What was approved is made with the next message: here is one. */
function decided(goesOn) {
  if (goesOn && input.value === "") input.value = "Go on.";
  input.focus();
  refresh();
}

let refreshing;
/** Soon, and once for many reasons. */
function refresh() {
  clearTimeout(refreshing);
  refreshing = setTimeout(() => {
    prompt.refresh();
    if (!agent || document.hidden) return;
    Promise.all([catchUp(), showHeld()]).catch(() => {});
  }, 150);
}

const choose = kindly(async () => {
  agent = find("agent").value;
  localStorage.setItem("agent", agent);
  session = undefined;
  turns.replaceChildren();
  note();
  await Promise.all([catchUp(), showHeld()]);
  prompt.refresh();
  toEnd();
});

/** Whatever happens in the store, by whichever hand: the page looks again. */
async function listen() {
  try {
    for await (const _ of events("/api/events")) refresh();
  } catch {}
  setTimeout(listen, 5_000);
}

function grow() {
  input.style.height = "auto";
  input.style.height = `${Math.min(input.scrollHeight, 200)}px`;
}

const link = kindly(async () => {
  const { code, url, expiresAt } = await write(path("links"), { channel: "telegram", user: me.user });
  const until = `It can be used once, until ${timeText(expiresAt)}.`;
  if (url === undefined)
    return note(
      `No bot of ${agent} runs in this server. One that runs elsewhere (charter work) takes “/link ${code}”. ${until} To set one up, start Charter with TELEGRAM_BOT_TOKEN: see docs/telegram.md.`,
    );
  const there = make("a", { href: url, target: "_blank", rel: "noopener noreferrer" }, "Open Telegram");
  find("note").replaceChildren(there, ` to link it to ${me.user}, or send the bot “/link ${code}”. ${until}`);
  find("note").hidden = false;
});

find("composer").onsubmit = send;
input.oninput = grow;
input.onkeydown = (event) => {
  if (event.key === "Enter" && !event.shiftKey && !event.isComposing) send(event);
};
find("stop").onclick = kindly(async () => running && write(`/api/turns/${encodeURIComponent(running)}/stop`));
find("fresh").onclick = () => {
  session = "new";
  turns.append(
    make("p", { className: "fresh soft" }, "A new conversation: what was said before is not told to the model again."),
  );
  toEnd();
  input.focus();
};
find("telegram").onclick = link;
find("agent").onchange = choose;
find("sign-out").onclick = kindly(async () => {
  await ask("/sign-out", {});
  location.replace("/sign-in");
});

await kindly(async () => {
  me = await read("/api/me");
  const { agents } = await read("/api/agents");
  if (agents.length === 0) return note("There is no agent yet. Add one: charter agents add ada --charter assistant");
  const last = localStorage.getItem("agent");
  find("agent").replaceChildren(
    ...agents.map(({ name }) => make("option", { value: name, selected: name === last }, name)),
  );
  await choose();
  input.focus();
  listen();
  setInterval(refresh, 15_000);
  document.addEventListener("visibilitychange", refresh);
})();
