/**
 * Who may ask what. A route that is not here fails the tests: nobody opens a door without saying for whom.
 *
 * - anyone: whoever has a token, but one that only posts messages
 * - people: operators and users, each about themselves
 * - own: operators, and the user whose it is; to every other user it is not there
 * - operator: operators
 * - agent: operators, and the agent's own token
 * - inbox: operators, and the token that posts to that agent's inbox
 * - jwt: operators, and the user whose it is, by a JSON Web Token alone
 */
export type WhoMay = "anyone" | "people" | "own" | "operator" | "agent" | "inbox" | "jwt";

export const whoMay: Readonly<Record<string, WhoMay>> = {
  "GET /api/me": "anyone",
  "PATCH /api/me": "people",
  "GET /api/me/export": "people",
  "POST /api/me/erase": "people",
  "GET /api/page": "own",
  "GET /api/charters": "operator",
  "GET /api/home": "operator",
  "GET /api/models": "operator",
  "GET /api/money": "operator",
  "GET /api/money/sections": "operator",
  "POST /api/models/test": "operator",
  "GET /api/agents": "people",
  "POST /api/agents": "operator",
  "GET /api/agents/{agent}": "operator",
  "GET /api/agents/{agent}/users": "operator",
  "PATCH /api/agents/{agent}": "operator",
  "POST /api/agents/{agent}/freeze": "operator",
  "POST /api/agents/{agent}/thaw": "operator",
  "GET /api/agents/{agent}/prompt": "operator",
  "GET /api/agents/{agent}/why": "operator",
  "GET /api/agents/{agent}/sections": "own",
  "GET /api/agents/{agent}/sections/{section}": "own",
  "GET /api/agents/{agent}/sections/{section}/history": "own",
  "POST /api/agents/{agent}/proposals": "own",
  "POST /api/agents/{agent}/sections/{section}/revert": "own",
  "POST /api/agents/{agent}/sections/{section}/trial": "operator",
  "GET /api/approvals": "own",
  "GET /api/approvals/{id}": "own",
  "POST /api/approvals/{id}/approve": "own",
  "POST /api/approvals/{id}/reject": "own",
  "POST /api/agents/{agent}/turns": "own",
  "GET /api/agents/{agent}/turns": "own",
  "GET /api/agents/{agent}/attachments/{digest}": "own",
  "GET /api/turns/{id}": "own",
  "POST /api/turns/{id}/stop": "own",
  "GET /api/agents/{agent}/sessions": "own",
  "POST /api/agents/{agent}/sessions": "own",
  "POST /api/agents/{agent}/sessions/{id}/compact": "own",
  "GET /api/agents/{agent}/samples": "operator",
  "GET /api/agents/{agent}/cost": "operator",
  "GET /api/agents/{agent}/tools": "agent",
  "POST /api/agents/{agent}/tools/{tool}": "agent",
  "GET /api/agents/{agent}/mcp": "operator",
  "GET /api/agents/{agent}/memory": "own",
  "POST /api/agents/{agent}/memory": "own",
  "POST /api/agents/{agent}/memory/vouch": "operator",
  "PATCH /api/agents/{agent}/memory/{id}": "own",
  "DELETE /api/agents/{agent}/memory/{id}": "own",
  "GET /api/agents/{agent}/core": "operator",
  "POST /api/agents/{agent}/core/publish": "operator",
  "GET /api/agents/{agent}/counterparts": "operator",
  "GET /api/agents/{agent}/conversations": "operator",
  "GET /api/agents/{agent}/conversations/{counterpart}": "operator",
  "POST /api/agents/{agent}/inbox": "inbox",
  "GET /api/agents/{agent}/inbox": "operator",
  "GET /api/agents/{agent}/inbox/{id}": "inbox",
  "POST /api/agents/{agent}/inbox/retry": "operator",
  "POST /api/agents/{agent}/inbox/{id}/retry": "operator",
  "POST /api/agents/{agent}/inbox/{id}/discard": "operator",
  "GET /api/agents/{agent}/outbox": "inbox",
  "GET /api/agents/{agent}/snapshot": "operator",
  "GET /api/agents/{agent}/automaton": "operator",
  "POST /api/agents/{agent}/automaton/wake": "operator",
  "POST /api/agents/{agent}/automaton/sleep": "operator",
  "POST /api/agents/{agent}/automaton/grant": "operator",
  "GET /api/agents/{agent}/schedules": "own",
  "POST /api/agents/{agent}/schedules": "own",
  "DELETE /api/agents/{agent}/schedules/{id}": "own",
  "GET /api/agents/{agent}/runs": "own",
  "GET /api/agents/{agent}/links": "own",
  "POST /api/agents/{agent}/links": "own",
  "DELETE /api/agents/{agent}/links/{channel}/{address}": "own",
  "POST /api/agents/{agent}/sign-in-links": "jwt",
  "GET /api/users": "operator",
  "GET /api/users/{user}": "operator",
  "GET /api/users/{user}/export": "operator",
  "PUT /api/users/{user}": "operator",
  "DELETE /api/users/{user}": "operator",
  "GET /api/invitations": "operator",
  "POST /api/agents/{agent}/invitations": "operator",
  "DELETE /api/invitations/{id}": "operator",
  "GET /api/identities": "operator",
  "DELETE /api/users/{user}/identities": "operator",
  "GET /api/tokens": "operator",
  "POST /api/tokens": "operator",
  "DELETE /api/tokens/{id}": "operator",
  "GET /api/events": "people",
  "DELETE /api/agents/{agent}": "operator",
};

/**
 * Column “taint”: whose words a route brings to an agent. Those that bring none are here; every other one that changes something is a
 * door of the matrix (isolation/taint-doors.ts), which says what it taints.
 */
export const wordless: readonly string[] = [
  "POST /api/agents",
  "PATCH /api/agents/{agent}",
  "DELETE /api/agents/{agent}",
  "POST /api/agents/{agent}/freeze",
  "POST /api/agents/{agent}/thaw",
  "POST /api/models/test",
  "POST /api/agents/{agent}/sections/{section}/trial",
  "POST /api/agents/{agent}/sections/{section}/revert",
  "DELETE /api/agents/{agent}/schedules/{id}",
  "POST /api/agents/{agent}/inbox/{id}/retry",
  "POST /api/agents/{agent}/inbox/retry",
  "POST /api/agents/{agent}/inbox/{id}/discard",
  "POST /api/agents/{agent}/automaton/grant",
  "POST /api/agents/{agent}/automaton/sleep",
  "POST /api/agents/{agent}/automaton/wake",
  "POST /api/agents/{agent}/core/publish",
  "DELETE /api/agents/{agent}/memory/{id}",
  "POST /api/agents/{agent}/memory/vouch",
  "POST /api/approvals/{id}/approve",
  "POST /api/approvals/{id}/reject",
  "PATCH /api/me",
  "POST /api/me/erase",
  "PUT /api/users/{user}",
  "DELETE /api/users/{user}",
  "POST /api/agents/{agent}/invitations",
  "DELETE /api/invitations/{id}",
  "DELETE /api/users/{user}/identities",
  "POST /api/agents/{agent}/links",
  "DELETE /api/agents/{agent}/links/{channel}/{address}",
  "POST /api/tokens",
  "DELETE /api/tokens/{id}",
  "POST /api/agents/{agent}/sign-in-links",
  "POST /api/agents/{agent}/sessions",
  "POST /api/turns/{id}/stop",
];

/** Who asks, of whom the thing asked about is Bo's, with the agent “ada”. */
export const callers = [
  "no token",
  "malformed",
  "expired",
  "revoked",
  "expired JWT",
  "another user's",
  "the user's, for another agent",
  "another agent's",
  "the agent's",
  "the inbox's",
  "another inbox's",
  "the gateway's",
  "the user's",
  "JWT of the user",
  "operator's",
] as const;

export type CallerName = (typeof callers)[number];

/** The status of the answer; 200 stands for every success. */
export function expected(who: WhoMay, caller: CallerName): 200 | 401 | 403 | 404 {
  switch (caller) {
    case "no token":
    case "malformed":
    case "expired":
    case "revoked":
    case "expired JWT":
      return 401;
    case "the gateway's":
      return 403;
    case "operator's":
      return 200;
    case "JWT of the user":
      return who === "operator" || who === "agent" || who === "inbox" ? 403 : 200;
    case "the user's":
      if (who === "jwt") return 403;
      return who === "operator" || who === "agent" || who === "inbox" ? 403 : 200;
    case "another user's":
    case "the user's, for another agent":
      return { anyone: 200, people: 200, own: 404, operator: 403, agent: 403, inbox: 403, jwt: 403 }[who] as 200;
    case "the agent's":
      return who === "anyone" || who === "agent" ? 200 : 403;
    case "another agent's":
      return { anyone: 200, people: 403, own: 403, operator: 403, agent: 404, inbox: 403, jwt: 403 }[who] as 200;
    case "the inbox's":
      return who === "inbox" ? 200 : 403;
    case "another inbox's":
      return who === "inbox" ? 404 : 403;
  }
}

/** Who asks the same under /chat/api, with what they have. */
export const chatCallers = [
  "nobody",
  "the operator's token",
  "the operator's cookie",
  "the operator's cookie, with a half",
  "the operator's secret as the cookie",
  "the user's token",
  "JWT of the user",
  "the cookie without its half",
  "the half without its cookie",
  "the session as a token",
  "another user's session",
  "the user's session with another agent",
  "the user's session",
] as const;

/** There is no operator there, no agent and no inbox: users alone, each with their agent, as with a token of theirs. */
export function expectedAtChat(who: WhoMay, caller: (typeof chatCallers)[number]): 200 | 401 | 403 | 404 {
  switch (caller) {
    case "the user's session":
      return expected(who, "the user's");
    case "another user's session":
      return expected(who, "another user's");
    case "the user's session with another agent":
      return expected(who, "the user's, for another agent");
    default:
      return 401;
  }
}
