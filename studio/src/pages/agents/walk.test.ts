import { expect, test } from "vitest";
import { step } from "./walk.ts";

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
