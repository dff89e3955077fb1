import { nextTime } from "../../../schedules/next-time.ts";
import { checkZone } from "../../../store/scope.ts";
import { defineTool, type Tool, toolInput } from "../../tool.ts";
import { failedResult, needsUserResult } from "./reminder-result.ts";

const input = toolInput((z) => ({ zone: z.string().describe("An IANA name such as Europe/Berlin or Asia/Kolkata.") }));

/** Tool: the agent sets the time zone of the user it talks to, for clocks in the prompt and for schedules. */
export function setTimeZone({ zone: usual }: { readonly zone?: string | undefined } = {}): Tool {
  return defineTool({
    name: "set_time_zone",
    input,
    summary: "Set the user's time zone",
    description:
      "Sets the user's time zone, for good. The current time you are told and the schedules that have no zone of their own go by it from then on.",
    guidelines: ["When the user says where they are or what time it is there, set their zone with set_time_zone"],
    sensitive: true,
    run: async ({ zone }, { store, turn, scope: { agent, user } }) => {
      if (user === undefined) return needsUserResult;
      try {
        checkZone(zone);
        await store.users.put({ id: user, zone, by: { agent, turn } });
        const moved = await store.schedules.followZones(nextTime, {
          user,
          ...(usual === undefined ? {} : { zone: usual }),
        });
        return `The user's time zone is ${zone} now.${moved > 0 ? ` ${moved} of their schedules moved with it.` : ""}`;
      } catch (error) {
        return failedResult(error);
      }
    },
  });
}
