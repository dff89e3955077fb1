import { assemble, type Charter, present } from "charter";

// What is trimmed when the limit is short is declared by name and in order; the model and the operator are told.
const charter: Charter = {
  name: "diary",
  layers: [
    {
      name: "law",
      mutability: "fixed",
      sections: [{ name: "rules", words: "Answer from the notes below, or say you do not know." }],
    },
    {
      name: "notes",
      mutability: "live",
      sections: [{ name: "notes", heading: "## Notes", trust: "own", sources: [] }],
    },
  ],
  givesWay: [{ section: "notes", parts: "note", from: "start", told: "(older notes left out: {missing})" }],
};

const notes = Array.from({ length: 30 }, (_, day) => ({
  text: `- day ${day + 1}: watered the plants, ${day * 7} ml each`,
  kind: "note",
}));

const prompt = assemble(charter, { notes: present(notes) }, { chars: 250 });
console.log(prompt.text);
console.log(prompt.cuts);
