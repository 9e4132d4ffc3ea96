import { describe, expect, it } from "@jest/globals";
import { authorise, CAPABILITIES, isTiedToAgents, type Capability, type Grants } from "../../src/core/access.js";
import { MemgateError } from "../../src/core/errors.js";

interface Names {
  project?: string;
  mission?: string;
  user?: string;
  workspace?: string;
  agent?: string;
}

const everything = new Set<Capability>(CAPABILITIES);

/** The fields that a key with these grants may not name; undefined when the request is allowed. */
function refused(grants: Grants, names: Names): string[] | undefined {
  const scope = {
    names: {
      project: names.project ?? null,
      mission: names.mission ?? null,
      userId: names.user ?? null,
      workspaceId: names.workspace ?? null,
    },
    agentId: names.agent ?? null,
  };
  return fieldsOf(() => {
    authorise({ capabilities: everything, grants }, { capabilities: ["memory_read"], scope });
  });
}

function fieldsOf(act: () => void): string[] | undefined {
  try {
    act();
    return undefined;
  } catch (error) {
    if (!(error instanceof MemgateError) || error.code !== "forbidden") throw error;
    return (error.more.errors ?? []).map((each) => each.path);
  }
}

describe("authorise", () => {
  it.each<[string, Grants, Names, string[] | undefined]>([
    ["no grants: anything", {}, { project: "p", mission: "m", user: "u", agent: "a" }, undefined],
    ["no grants: a workspace", {}, { workspace: "w", agent: "a" }, undefined],

    ["a listed project", { projects: ["p", "q"] }, { project: "q", user: "u" }, undefined],
    ["another project", { projects: ["p"] }, { project: "q", user: "u" }, ["project"]],
    ["no project where none is listed", { projects: ["p"] }, { user: "u" }, ["project"]],
    ["no project where null is listed", { projects: ["p", null] }, { user: "u" }, undefined],
    ["a project where only null is listed", { projects: [null] }, { project: "p", user: "u" }, ["project"]],
    ["a project named null", { projects: [null] }, { project: "null", user: "u" }, ["project"]],
    ["a project in other case", { projects: ["p"] }, { project: "P", user: "u" }, ["project"]],
    ["any mission of a listed project", { projects: ["p"] }, { project: "p", mission: "m", user: "u" }, undefined],

    ["a listed user", { userIds: ["u", "v"] }, { user: "v" }, undefined],
    ["another user", { userIds: ["u"] }, { user: "v" }, ["user_id"]],
    ["a workspace with users alone listed", { userIds: ["u"] }, { workspace: "u", agent: "a" }, ["workspace_id"]],
    ["a listed workspace", { workspaces: ["w"] }, { workspace: "w", agent: "a" }, undefined],
    ["another workspace", { workspaces: ["w"] }, { workspace: "x", agent: "a" }, ["workspace_id"]],
    ["a user with workspaces alone listed", { workspaces: ["w"] }, { user: "w" }, ["user_id"]],
    ["a user with both listed", { workspaces: ["w"], userIds: ["u"] }, { user: "u" }, undefined],
    ["a workspace with both listed", { workspaces: ["w"], userIds: ["u"] }, { workspace: "w", agent: "a" }, undefined],

    ["a listed agent in a workspace", { agents: ["a"] }, { workspace: "w", agent: "a" }, undefined],
    ["another agent in a workspace", { agents: ["a"] }, { workspace: "w", agent: "b" }, ["agent_id"]],
    ["a listed agent with a user", { agents: ["a"] }, { user: "u", agent: "a" }, undefined],
    ["another agent with a user", { agents: ["a"] }, { user: "u", agent: "b" }, ["agent_id"]],
    ["no agent with a user", { agents: ["a"] }, { user: "u" }, ["agent_id"]],

    [
      "several at once",
      { projects: ["p"], userIds: ["u"], agents: ["a"] },
      { user: "v" },
      ["project", "user_id", "agent_id"],
    ],
    ["an empty list", { userIds: [] }, { user: "u" }, ["user_id"]],
    [
      "names that join alike",
      { projects: ["a:b"], agents: ["c"] },
      { project: "a", user: "u", agent: "b:c" },
      ["project", "agent_id"],
    ],
  ])("%s", (_case, grants, names, expected) => {
    expect(refused(grants, names)).toEqual(expected);
  });

  it("demands every capability that is needed, and says which are missing", () => {
    const rights = { capabilities: new Set<Capability>(["memory_write"]), grants: {} };
    const need = (...capabilities: Capability[]) => ({ capabilities, scope: undefined });
    authorise(rights, need());
    authorise(rights, need("memory_write"));
    expect(() => {
      authorise(rights, need("memory_read", "memory_write", "admin"));
    }).toThrow("this key lacks memory_read and admin");
  });

  it.each(CAPABILITIES)("lets no capability stand for %s", (capability) => {
    const others = new Set(CAPABILITIES.filter((each) => each !== capability));
    expect(
      fieldsOf(() => {
        authorise({ capabilities: others, grants: {} }, { capabilities: [capability], scope: undefined });
      }),
    ).toEqual([]);
  });

  it("does not repeat a value that was refused", () => {
    const scope = { names: { project: "secret", mission: null, userId: "u", workspaceId: null }, agentId: null };
    expect(() => {
      authorise({ capabilities: everything, grants: { projects: ["p"] } }, { capabilities: [], scope });
    }).toThrow(expect.not.stringContaining("secret"));
  });
});

it("only a key with an agents list is tied to agents", () => {
  expect(isTiedToAgents({ capabilities: everything, grants: { agents: ["a"] } })).toBe(true);
  expect(isTiedToAgents({ capabilities: everything, grants: { workspaces: ["w"] } })).toBe(false);
});
