import { read } from "./api.js";
import { find, make } from "./make.js";

/** The prompt the next turn would have, section by section: what Charter is about. */
export function createPrompt(where) {
  const [panel, opener] = [find("prompt"), find("show-prompt")];
  const refresh = async () => {
    if (panel.hidden || !where()) return;
    const { agent, user } = where();
    const query = new URLSearchParams({ user, channel: "web" });
    try {
      draw(await read(`/api/agents/${encodeURIComponent(agent)}/prompt?${query}`), agent);
    } catch (error) {
      find("prompt-about").textContent = error.message;
    }
  };
  const show = (open) => {
    panel.hidden = !open;
    document.body.classList.toggle("with-prompt", open);
    opener.setAttribute("aria-expanded", String(open));
    // On a small screen it covers the rest, which nobody should then wander into.
    const covers = open && matchMedia("(max-width: 900px)").matches;
    for (const one of document.querySelectorAll("header, main")) one.inert = covers;
    if (open) find("hide-prompt").focus();
    else opener.focus();
    refresh();
  };
  opener.onclick = () => show(panel.hidden);
  find("hide-prompt").onclick = () => show(false);
  panel.onkeydown = ({ key }) => key === "Escape" && show(false);
  return { refresh };
}

function draw({ text, tokens, sections, omitted, cuts, notices, digest }, agent) {
  const about = `${agent} · ${tokens.total.toLocaleString()} tokens${tokens.exact ? "" : " (an estimate)"} · sha256 ${digest.slice(0, 12)}`;
  find("prompt-about").textContent = about;
  const open = new Set([...document.querySelectorAll("#prompt details[open]")].map(({ dataset }) => dataset.name));
  const rows = sections.map(({ name, mutability, revision, start, end, tokens: count }) => {
    const facts = [mutability, revision ? `revision ${revision}` : "", `${count} tokens`].filter(Boolean).join(" · ");
    const summary = make("summary", {}, make("strong", {}, name), make("span", { className: "what" }, facts));
    const body = make("div", {}, make("pre", {}, text.slice(start, end).trim()));
    return make("details", { open: open.has(name), data: { name, mutability } }, summary, body);
  });
  const told = [
    ...cuts.map(({ section, missing, unit }) => `${section}: ${missing} ${unit} are cut.`),
    ...omitted.map(({ name, reason }) => `${name} is left out: ${reason}.`),
    ...notices.map(({ message }) => message),
  ];
  find("prompt-sections").replaceChildren(
    ...rows,
    make(
      "ul",
      { className: "soft" },
      told.map((one) => make("li", {}, one)),
    ),
  );
}
