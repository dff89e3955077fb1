export { createHost } from "./create-host.ts";
export type { ApproveResult, Host, HostWatcher, Preview, SnapshotQuery } from "./host.ts";
export type { HostOptions, HostTools } from "./host-options.ts";
export { openWorkbench, type Workbench, type WorkbenchOptions } from "./workbench.ts";
