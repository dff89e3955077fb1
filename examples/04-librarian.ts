import type { Charter } from "charter";

// A charter of your own: `charter show --charter examples/04-librarian.ts`
export default {
  name: "librarian",
  layers: [
    {
      name: "law",
      mutability: "fixed",
      sections: [{ name: "safety", heading: "## Safety", words: "Never tell one reader what another one reads." }],
    },
    {
      name: "goals",
      mutability: { amendableBy: ["agent", "operator"], scope: "user" },
      sections: [{ name: "goals", heading: "## Goals", original: "Help people find good books." }],
    },
    {
      name: "tools",
      mutability: "live",
      sections: [
        {
          name: "tools",
          heading: "## Tools",
          fallback: "(none)",
          trust: "own",
          sources: [
            ({ tools }) =>
              tools.length === 0
                ? { status: "empty" }
                : { status: "present", parts: tools.map(({ name }) => ({ text: `- ${name}`, source: "tools" })) },
          ],
        },
      ],
    },
  ],
} satisfies Charter;
