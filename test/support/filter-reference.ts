import type { MemoryBody } from "./api.js";

/** A value of JSON, or undefined where there is none. */
type Value = unknown;

const TIMES: ReadonlySet<string> = new Set(["event_at", "created_at", "updated_at", "expires_at"]);

/** Whether a memory, as replies show it, meets a filter, by the words of docs/filters.md and nothing of the server. */
export function meetsFilter(memory: MemoryBody, node: object): boolean {
  return Object.entries(node).every(([name, member]) => {
    if (name === "AND") return (member as object[]).every((each) => meetsFilter(memory, each));
    if (name === "OR") return (member as object[]).some((each) => meetsFilter(memory, each));
    if (name === "NOT") return !meetsFilter(memory, member as object);
    const isOperators = typeof member === "object" && member !== null;
    const operators = isOperators ? (member as object) : { eq: member as Value };
    const value = valueOf(memory, name);
    return Object.entries(operators).every(([operator, operand]) => meets(value, operator, operand as Value));
  });
}

/** Of the memory's own fields null is none; times are numbers. */
function valueOf(memory: MemoryBody, name: string): Value {
  if (name.startsWith("metadata."))
    return stepsOf(name.slice("metadata.".length)).reduce<Value>(inside, memory.metadata);
  const own = (memory as unknown as Record<string, Value>)[name] ?? undefined;
  if (name === "tags" && (own as string[]).length === 0) return undefined;
  return TIMES.has(name) && own !== undefined ? new Date(own as string) : own;
}

/** Character by character: a backslash takes the next one as it is. */
function stepsOf(path: string): string[] {
  const steps: string[] = [];
  let step = "";
  const characters = Array.from(path);
  for (let index = 0; index < characters.length; index++) {
    const character = characters[index] ?? "";
    if (character === ".") {
      steps.push(step);
      step = "";
    } else step += character === "\\" ? (characters[++index] ?? "") : character;
  }
  return [...steps, step];
}

function inside(value: Value, step: string): Value {
  if (typeof value !== "object" || value === null) return undefined;
  if (Array.isArray(value) && String(Number(step)) !== step) return undefined;
  return Object.hasOwn(value, step) ? (value as Record<string, Value>)[step] : undefined;
}

function meets(value: Value, operator: string, operand: Value): boolean {
  switch (operator) {
    case "eq":
      return same(value, operand);
    case "ne":
      return !same(value, operand);
    case "in":
      return (operand as Value[]).some((each) => same(value, each));
    case "nin":
      return !(operand as Value[]).some((each) => same(value, each));
    case "exists":
      return (value !== undefined) === operand;
    case "contains":
      return Array.isArray(value) ? value.some((each) => same(each, operand)) : holds(value, operand);
    case "icontains":
      return Array.isArray(value)
        ? value.some((each) => typeof each === "string" && folded(String(operand), true).test(each))
        : typeof value === "string" && folded(String(operand), false).test(value);
    default:
      return ordered(value, operator, operand);
  }
}

/** A scalar equals a scalar of its type. */
function same(value: Value, operand: Value): boolean {
  if (value instanceof Date) return value.getTime() === Date.parse(String(operand));
  return value === operand;
}

function holds(value: Value, operand: Value): boolean {
  return typeof value === "string" && typeof operand === "string" && value.includes(operand);
}

/** By the folding of the language's own regular expressions. */
function folded(text: string, whole: boolean): RegExp {
  const literal = text.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
  return new RegExp(whole ? `^${literal}$` : literal, "iu");
}

function ordered(value: Value, operator: string, operand: Value): boolean {
  const order = compare(value, operand);
  if (order === undefined) return false;
  return { gt: order > 0, gte: order >= 0, lt: order < 0, lte: order <= 0 }[operator] ?? false;
}

function compare(value: Value, operand: Value): number | undefined {
  if (value instanceof Date) return value.getTime() - Date.parse(String(operand));
  if (typeof value === "number" && typeof operand === "number") return value - operand;
  if (typeof value !== "string" || typeof operand !== "string") return undefined;
  return Buffer.compare(Buffer.from(value), Buffer.from(operand));
}
