import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { calls, scripted, spoken } from "../model.ts";
import { tool } from "../stage.ts";
import { builtIn, type ExtensionStage, newExtensionStage } from "./extension-stage.ts";

let stage: ExtensionStage;
beforeEach(async () => {
  stage = await newExtensionStage();
});
afterEach(() => stage.close());

const says = (name: string, more = "") => `{ name: "${name}", label: "L", description: "Says ${name}.",
  parameters: { type: "object" }, ${more} execute: async () => ({ content: [{ type: "text", text: "${name}" }] }) }`;

describe("registerTool", () => {
  test("a tool is offered with its own schema and description, checked by it, and run as pi runs it", async () => {
    stage.write({
      "greet.ts": `export default (pi) => pi.registerTool({
        name: "greet", label: "Greet", description: "Greets somebody.\\nKindly.",
        promptSnippet: "Greet\\n  somebody", promptGuidelines: ["Greet everybody", "Be kind"],
        parameters: { type: "object", properties: { name: { type: "string" }, times: { type: "integer", minimum: 1 } }, required: ["name"] },
        async execute(id, params, signal, onUpdate, ctx) {
          onUpdate({ content: [] });
          const about = [id, params, signal instanceof AbortSignal, ctx.cwd === process.env.NOWHERE, ctx.hasUI, this.label];
          return { content: [{ type: "text", text: JSON.stringify(about) }, { type: "image", data: "", mimeType: "image/png" }] };
        },
      })`,
    });
    const extensions = await stage.load(["greet.ts"]);
    const model = scripted([calls(["greet", { name: "Eva", times: null }, "c1"], ["greet", { times: 0 }]), "Done."]);
    let lines: unknown;
    stage.world.place = ({ tools }) => {
      lines = tools.at(-1);
      return { status: "empty" };
    };
    await (await stage.with(extensions, model)).runTurn({ input: "Go.", user: "mia" });
    expect(model.requests[0]?.tools.at(-1)).toEqual({
      name: "greet",
      description: "Greets somebody.\nKindly.",
      input: {
        type: "object",
        properties: { name: { type: "string" }, times: { type: "integer", minimum: 1 } },
        required: ["name"],
      },
    });
    expect(lines).toEqual({ name: "greet", summary: "Greet somebody", guidelines: ["Greet everybody", "Be kind"] });
    expect(spoken(model.requests[1] as never)[3]).toBe(
      [
        'tool: ["c1",{"name":"Eva"},true,false,false,"Greet"]\n(1 image left out: only text can be shown here)',
        "Not run: the arguments do not fit “greet”. name: Invalid input: expected string, received undefined; times: Too small: expected number to be >=1.",
      ].join(" | "),
    );
    expect(stage.faults()).toEqual([
      "greet.ts: beyond: gives images as a result of its tool “greet”, which are left out.",
    ]);
  });

  test("without a snippet it lends the prompt no more than its name; also one that stands in for a built-in tool", async () => {
    stage.write({
      "bare.ts": `export default (pi) => { pi.registerTool(${says("deploy")}); pi.registerTool(${says("read")}); pi.registerTool(${says("grep", `promptSnippet: "  ",`)}); }`,
    });
    const extensions = await stage.load(["bare.ts"]);
    let lines: readonly unknown[] = [];
    stage.world.place = ({ tools }) => {
      lines = tools;
      return { status: "empty" };
    };
    await (await stage.with(extensions, scripted())).runTurn({ input: "Go.", user: "mia" });
    expect(lines).toEqual([
      { name: "read" },
      { name: "bash", summary: "Does bash" },
      { name: "edit", summary: "Does edit" },
      { name: "write", summary: "Does write" },
      { name: "grep" },
      { name: "deploy" },
    ]);
    expect(stage.faults()).toEqual([
      "bare.ts: tool-replaced: replaces the built-in tool “read”.",
      "bare.ts: tool-replaced: replaces the built-in tool “grep”.",
    ]);
  });

  test("what one says of itself counts; one that stands in for another is trusted as that is", async () => {
    stage.write({
      "a.ts": `export default (pi) => {
        pi.registerTool({ ...${says("bash")}, harmless: true });
        pi.registerTool(${says("look")});
        pi.registerTool({ ...${says("page")}, trusted: false, harmless: false, reads: true });
      }`,
    });
    const own = [tool("bash", () => "", { trusted: true, place: "/srv" })];
    const made = (await stage.load(["a.ts"], { builtIn: own })).tools();
    expect(
      made.map(({ name, trusted, reads, harmless, place }) => ({ name, trusted, reads, harmless, place })),
    ).toEqual([
      { name: "bash", trusted: true, place: "/srv" },
      { name: "look", trusted: true, harmless: true },
      { name: "page", reads: true },
    ]);
  });

  test("what cannot be used is reported, and not registered", async () => {
    stage.write({
      "bad.ts": `const good = ${says("x")};
      export default (pi) => {
        pi.registerTool(undefined);
        pi.registerTool({ ...good, name: "two words" });
        pi.registerTool({ ...good, description: " " });
        pi.registerTool({ ...good, promptSnippet: 7, promptGuidelines: "one" });
        pi.registerTool({ ...good, parameters: undefined });
        pi.registerTool({ ...good, parameters: { type: "string" } });
        pi.registerTool({ ...good, parameters: { type: "object", properties: { a: { type: "nonsense" } } } });
        pi.registerTool({ ...good, execute: "later" });
        pi.registerTool(new Proxy({}, { get() { throw new Error("Keep out."); } }));
      }`,
    });
    const extensions = await stage.load(["bad.ts"]);
    expect(extensions.loaded[0]?.tools).toEqual([]);
    const cannot = "bad.ts: bad-tool: registers a tool that cannot be used";
    expect(stage.faults()).toEqual([
      `${cannot}: its name is not 1 to 64 letters, digits, _ and -; it has no description; it has no parameters; it has nothing to execute.`,
      `${cannot} (“two words”): its name is not 1 to 64 letters, digits, _ and -.`,
      `${cannot} (“x”): it has no description.`,
      `${cannot} (“x”): its promptSnippet is no text; its promptGuidelines are no list of texts.`,
      `${cannot} (“x”): it has no parameters.`,
      `${cannot} (“x”): its parameters are no object.`,
      `${cannot} (“x”): Unsupported type: nonsense.`,
      `${cannot} (“x”): it has nothing to execute.`,
      `${cannot}: Keep out.`,
    ]);
  });

  test("what it throws is a failed result; so is what cannot be read, which is reported", async () => {
    const results = ["throw new Error('Oh.')", "return 7", "return { content: 7 }", "return { content: [7] }"];
    const more = [
      `return { content: "Just words." }`,
      `return { content: [], isError: true }`,
      `return { get content() { throw new Error("Keep out."); } }`,
    ];
    const all = [...results, ...more];
    stage.write({
      "odd.ts": `export default (pi) => { ${all
        .map((body, index) => `pi.registerTool({ ...${says(`t${index}`)}, async execute() { ${body} } });`)
        .join("\n")} }`,
    });
    const model = scripted([calls(...all.map((_, index) => [`t${index}`] as const)), "Done."]);
    const agent = await stage.with(await stage.load(["odd.ts"]), model);
    const outcome = await agent.runTurn({ input: "Go.", user: "mia" });
    const message = model.requests[1]?.messages[3];
    const unread = (name: string) => `“${name}” gave no result that can be read; whether it took effect is not known.`;
    expect(message?.role === "tool" && message.results.map(({ output, failed }) => [output, failed])).toEqual([
      ["It failed: Oh.", true],
      [unread("t1"), true],
      [unread("t2"), true],
      [unread("t3"), true],
      ["Just words.", undefined],
      ["", true],
      ["It failed: Keep out.", true],
    ]);
    const words = (name: string) => `gave a result of its tool “${name}” that cannot be read: it has no content.`;
    expect(stage.faults()).toEqual(["t1", "t2", "t3"].map((name) => `odd.ts: bad-result: ${words(name)}`));
    expect(outcome.notices).toEqual(
      ["t1", "t2", "t3"].map((name) => ({ code: "bad-result", message: `The extension “odd.ts” ${words(name)}` })),
    );
  });

  test("one that is registered in a handler is there with the next turn, in an input handler with this one", async () => {
    stage.write({
      "grow.ts": `export default (pi) => {
        pi.on("input", ({ text }) => { if (text === "one") pi.registerTool(${says("one")}); });
        pi.on("before_agent_start", ({ prompt }) => { if (prompt === "one") pi.registerTool(${says("two")}); });
      }`,
    });
    const model = scripted();
    const extensions = await stage.load(["grow.ts"]);
    const agent = await stage.with(extensions, model);
    await agent.runTurn({ input: "one", user: "mia" });
    await agent.runTurn({ input: "two", user: "mia" });
    expect(model.requests.map(({ tools }) => tools.slice(4).map(({ name }) => name))).toEqual([
      ["one"],
      ["one", "two"],
    ]);
    expect(extensions.loaded[0]?.tools).toEqual(["one", "two"]);
    expect(stage.faults()).toEqual([
      "grow.ts: tools-changed: changed the active tools in before_agent_start: that holds from the next turn on.",
    ]);
  });
});

describe("the active tools", () => {
  const active = async (body: string, options = {}) => {
    stage.write({ "tools.ts": `export default (pi) => { ${body} }` });
    return (await stage.load(["tools.ts"], options)).tools().map(({ name }) => name);
  };

  test("read, bash, edit and write at first, and those of extensions, in the order of the built-in ones", async () => {
    expect(await active("")).toEqual(["read", "bash", "edit", "write"]);
    expect(await active(`pi.registerTool(${says("mine")})`)).toEqual(["read", "bash", "edit", "write", "mine"]);
    expect(await active(`pi.registerTool(${says("mine")})`, { active: ["grep", "read", "nobody"] })).toEqual([
      "read",
      "grep",
      "mine",
    ]);
  });

  test("are set where an extension is loaded, also to tools that come after; what nobody knows is reported", async () => {
    expect(
      await active(`pi.setActiveTools(["grep", "mine", "read", "ghost"]); pi.registerTool(${says("mine")});`),
    ).toEqual(["read", "grep", "mine"]);
    expect(await active(`pi.registerTool(${says("mine")}); pi.setActiveTools([]);`)).toEqual([]);
    expect(stage.faults()).toEqual([
      "tools.ts: tools-unknown: sets tools active that nobody knows: “ghost”. The tools are “read”, “bash”, “edit”, “write”, “grep”, “mine”.",
    ]);
  });

  test("can be asked for, and all tools with what they are", async () => {
    stage.write({
      "ask.ts": `export default (pi) => {
        pi.registerTool(${says("mine")});
        globalThis.asked = [pi.getActiveTools(), pi.getAllTools()];
      }`,
    });
    await stage.load(["ask.ts"], { builtIn: builtIn.slice(0, 1) });
    expect((globalThis as unknown as { asked: unknown }).asked).toMatchObject([
      ["read", "mine"],
      [
        { name: "read", description: "Does read", parameters: { type: "object" } },
        { name: "mine", description: "Says mine.", parameters: { type: "object" } },
      ],
    ]);
  });

  test("what is no list of names is reported, and changes nothing", async () => {
    expect(await active(`pi.setActiveTools("read"); pi.setActiveTools([7]); pi.setActiveTools();`)).toEqual([
      "read",
      "bash",
      "edit",
      "write",
    ]);
    const words = "tools.ts: bad-call: calls setActiveTools() with something that is no list of names.";
    expect(stage.faults()).toEqual([words, words, words]);
  });
});
