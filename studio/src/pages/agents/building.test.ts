import { expect, test } from "vitest";
import { buildingOf, mayChange, step } from "./building.tsx";

const section = (layer: string, name: string, more: object = {}) => ({
  name,
  layer,
  heading: null,
  mutability: "fixed" as const,
  amendableBy: [],
  scope: "agent" as const,
  revision: null,
  ...more,
});
const operators = { mutability: "amendable" as const, amendableBy: ["operator" as const], revision: 2 };
const users = {
  mutability: "amendable" as const,
  amendableBy: ["agent" as const, "user" as const, "operator" as const],
  scope: "user" as const,
  heading: "## User Instructions",
};

test("the layers in the order of the charter, one room a section, and who may change what", () => {
  const sections = [
    section("law", "constitution"),
    section("law", "soul", operators),
    section("instructions", "instructions", users),
    section("now", "clock", { mutability: "live" }),
  ];
  expect(buildingOf(sections)).toEqual({
    floors: [
      {
        layer: "law",
        rooms: [
          { name: "constitution", mutability: "fixed", says: "constitution · fixed", amended: false },
          { name: "soul", mutability: "amendable", says: "soul · amendable by operator · revision 2", amended: true },
        ],
        more: 0,
        may: "fixed · amendable by operator",
      },
      {
        layer: "instructions",
        rooms: [
          {
            name: "instructions",
            mutability: "amendable",
            says: "instructions · “## User Instructions” · amendable by agent, user and operator · each user’s own copy",
            amended: false,
          },
        ],
        more: 0,
        may: "amendable by agent, user and operator",
      },
      {
        layer: "now",
        rooms: [{ name: "clock", mutability: "live", says: "clock · live, generated per turn", amended: false }],
        more: 0,
        may: "live, generated per turn",
      },
    ],
    hidden: undefined,
    sections: 4,
  });
});

test("ten thousand rooms on a floor are eight and how many more", () => {
  const { floors, sections } = buildingOf(Array.from({ length: 10_000 }, (_, index) => section("all", `s${index}`)));
  expect({ sections, rooms: floors[0]?.rooms.length, more: floors[0]?.more }).toEqual({
    sections: 10_000,
    rooms: 8,
    more: 9_992,
  });
});

test("of ten thousand layers the first and the last are drawn", () => {
  const sections = Array.from({ length: 10_000 }, (_, index) => section(`l${index}`, `s${index}`));
  const { floors, hidden } = buildingOf(sections, { floors: 5, rooms: 12 });
  expect(floors.map(({ layer }) => layer)).toEqual(["l0", "l1", "l2", "l9998", "l9999"]);
  expect(hidden).toEqual({ floors: 9_995, after: 3 });
});

test("nobody at all may be named, too", () => {
  expect(mayChange({ mutability: "amendable", amendableBy: [] })).toBe("amendable by nobody");
});

const rooms = [3, 1, 2];
const steps: [key: string, from: [number, number], to: [number, number] | undefined][] = [
  ["ArrowRight", [0, 0], [0, 1]],
  ["ArrowRight", [0, 2], undefined],
  ["ArrowLeft", [0, 1], [0, 0]],
  ["ArrowLeft", [0, 0], undefined],
  ["ArrowDown", [0, 2], [1, 0]],
  ["ArrowDown", [2, 0], undefined],
  ["ArrowUp", [2, 1], [1, 0]],
  ["ArrowUp", [0, 0], undefined],
  ["End", [2, 0], [2, 1]],
  ["Home", [0, 2], [0, 0]],
  ["Enter", [0, 0], undefined],
];
for (const [key, [floor, room], to] of steps)
  test(`${key} from floor ${floor}, room ${room}`, () => {
    expect(step(rooms, { floor, room }, key)).toEqual(to && { floor: to[0], room: to[1] });
  });
