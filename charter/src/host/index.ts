export { createHouse } from "./create-host.ts";
export type { Decided, House, HouseWatcher, Looking, Preview } from "./host.ts";
export type { HouseOptions, HouseTools } from "./host-options.ts";
export { openWorkbench, type Workbench, type WorkbenchOptions } from "./workbench.ts";
