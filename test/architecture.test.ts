import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "@jest/globals";
import ts from "typescript";

const ROOT = fileURLToPath(new URL("..", import.meta.url));

const files = readdirSync(path.join(ROOT, "src"), { recursive: true, encoding: "utf8" })
  .filter((name) => name.endsWith(".ts"))
  .map((name) => ({ name: path.join("src", name), text: readFileSync(path.join(ROOT, "src", name), "utf8") }));

const declarations = files.filter(({ name }) => name.startsWith("src/db/queries/")).flatMap(topLevelDeclarations);
const statements = declarations.flatMap(({ name, node }) => statementsIn(node).map((text) => ({ name, text })));

describe("every statement", () => {
  const scoped = scopedTables();
  const tableInUse = new RegExp(`\\b(?:from|join|into|update|using)\\s+(?:only\\s+)?(?:${scoped.join("|")})\\b`, "g");
  const scopeFixed = /\bscope_id\s*=|\(\s*scope_id\b/g;

  function unfixed(text: string): number {
    return (text.match(tableInUse)?.length ?? 0) - (text.match(scopeFixed)?.length ?? 0);
  }

  it("that touches a scoped table fixes the scope of each of them", () => {
    const leaking = statements.filter(({ text }) => unfixed(text) > 0);
    expect(leaking).toEqual([]);
  });

  it("is among those that this test sees", () => {
    expect(scoped).toEqual(
      expect.arrayContaining(["memories", "memory_revisions", "candidates", "postings", "bindings"]),
    );
    expect(statements.filter(({ text }) => tableInUse.test(text)).length).toBeGreaterThan(5);
    expect(unfixed("select * from memories as m join scopes as s on s.id = m.scope_id")).toBe(1);
    expect(unfixed("select * from memories as m where m.scope_id = $1")).toBe(0);
  });

  it("stands in src/db", () => {
    const elsewhere = files.filter(({ name, text }) => !name.startsWith("src/db/") && /\bsql(<[^`]*>)?`/.test(text));
    expect(elsewhere.map(({ name }) => name)).toEqual([]);
  });
});

describe("every source file", () => {
  it("is at most 250 lines long", () => {
    const long = files.filter(({ text }) => text.split("\n").length > 251);
    expect(long.map(({ name }) => name)).toEqual([]);
  });
});

interface Declaration {
  readonly name: string;
  readonly node: ts.Node;
}

/** The tables that have a scope_id, as the migrations make them. */
function scopedTables(): string[] {
  const folder = path.join(ROOT, "migrations");
  const text = readdirSync(folder)
    .map((name) => readFileSync(path.join(folder, name), "utf8"))
    .join("\n");
  const made = text.matchAll(/create table (?:if not exists )?(\w+) \((.*?)\n\)/gs);
  return [...made].filter(([, , columns]) => /^\s*scope_id\b/m.test(columns!)).map(([, table]) => table!);
}

function topLevelDeclarations({ name, text }: { name: string; text: string }): Declaration[] {
  const source = ts.createSourceFile(name, text, ts.ScriptTarget.ES2023, true);
  return source.statements.flatMap((node): Declaration[] => {
    if (ts.isFunctionDeclaration(node) && node.name !== undefined) return [{ name: node.name.text, node }];
    if (!ts.isVariableStatement(node)) return [];
    return node.declarationList.declarations.map((each) => ({ name: each.name.getText(), node: each }));
  });
}

/** Texts of the outermost sql`…` that are handed to a database, fragments of this folder spliced in. */
function statementsIn(node: ts.Node): string[] {
  if (
    ts.isCallExpression(node) &&
    ts.isPropertyAccessExpression(node.expression) &&
    node.expression.name.text === "run"
  ) {
    return node.arguments.map((argument) => spliced(argument));
  }
  return childrenOf(node).flatMap(statementsIn);
}

/** The text of `node`, and beside it that of every fragment that it names; one that names itself, as those of trees do, once. */
function spliced(node: ts.Node, around: readonly ts.Node[] = []): string {
  const fragments = identifiersIn(node)
    .map((name) => declarations.find((each) => each.name === name))
    .filter((each) => each !== undefined && !around.includes(each.node) && statementsIn(each.node).length === 0);
  return [node.getText(), ...fragments.map((each) => spliced(each!.node, [...around, each!.node]))].join("\n");
}

function identifiersIn(node: ts.Node): string[] {
  if (ts.isIdentifier(node)) return [node.text];
  const inner = ts.isFunctionDeclaration(node)
    ? [node.body]
    : ts.isVariableDeclaration(node)
      ? [node.initializer]
      : childrenOf(node);
  return inner.flatMap((child) => (child === undefined ? [] : identifiersIn(child)));
}

function childrenOf(node: ts.Node): ts.Node[] {
  const children: ts.Node[] = [];
  ts.forEachChild(node, (child) => void children.push(child));
  return children;
}
