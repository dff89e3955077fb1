import { buildStudio } from "../../build.ts";
import { openStage } from "./stage.ts";

/** For trying the page by hand: builds it, serves a house that was lived in, and prints a link. `PORT` says where. */
await buildStudio();
const stage = await openStage({ port: Number(process.env.PORT ?? 0) });
console.log(await stage.link());
process.on("SIGINT", () => stage.close().then(() => process.exit(0)));
