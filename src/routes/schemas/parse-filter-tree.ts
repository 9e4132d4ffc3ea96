import {
  simplify,
  type Comparison,
  type FilterField,
  type FilterTest,
  type FilterTree,
} from "../../core/filter-tree.js";
import {
  FILTER_CONDITIONS_MAX,
  FILTER_DEPTH_MAX,
  FILTER_ICONTAINS_MAX,
  FILTER_LIST_MAX,
  FILTER_NODES_MAX,
} from "../../core/limits.js";
import { readField, type NamedField } from "./filter-field.js";
import { readOperand, type OperandOf } from "./filter-operand.js";
import { OPERATORS_OF, type FilterOperator } from "./filter-operators.js";
import type { Fault } from "./metadata.js";

type Path = Fault["path"];

/** The tree of a node of the wire, or all that is wrong with it. The order of keys makes no difference to either. */
export function parseFilterTree(value: unknown): { readonly tree: FilterTree } | { readonly faults: readonly Fault[] } {
  const parser = new FilterParser();
  const tree = parser.node(value, [], 1);
  return parser.faults.length > 0 ? { faults: parser.faults } : { tree: simplify(tree) };
}

/** More faults than this help nobody. */
const FAULTS_MAX = 20;

interface Condition extends OperandOf {
  readonly subject: FilterField;
  readonly path: Path;
}

/** What is wrong leaves a tree behind that nobody gets to see. */
const WRONG: FilterTree = { kind: "any", of: [] };

class FilterParser {
  readonly faults: Fault[] = [];
  private conditions = 0;
  private icontains = 0;

  node(value: unknown, path: Path, depth: number): FilterTree {
    if (depth > FILTER_DEPTH_MAX) return this.wrong(path, `must not be nested deeper than ${String(FILTER_DEPTH_MAX)}`);
    if (!isObject(value)) return this.wrong(path, "must be an object");
    const members = sorted(value).map(([name, member]) => this.member(name, member, { path: [...path, name], depth }));
    return { kind: "all", of: members };
  }

  private member(name: string, value: unknown, at: { readonly path: Path; readonly depth: number }): FilterTree {
    if (this.faults.length >= FAULTS_MAX) return WRONG;
    if (name === "NOT") return { kind: "not", of: this.node(value, at.path, at.depth + 1) };
    if (name === "AND" || name === "OR") {
      return { kind: name === "AND" ? "all" : "any", of: this.nodes(value, at.path, at.depth + 1) };
    }
    const named = readField(name);
    return "fault" in named ? this.wrong(at.path, named.fault) : this.condition(named, value, at.path);
  }

  private nodes(value: unknown, path: Path, depth: number): FilterTree[] {
    if (!Array.isArray(value)) return [this.wrong(path, "must be a list")];
    if (value.length > FILTER_NODES_MAX)
      return [this.wrong(path, `must have at most ${String(FILTER_NODES_MAX)} nodes`)];
    return value.map((each, index) => this.node(each, [...path, index], depth));
  }

  /** A bare scalar is `eq`. */
  private condition(named: Extract<NamedField, { kind: unknown }>, value: unknown, path: Path): FilterTree {
    const { field: subject, kind } = named;
    const field = subject.of === "memory" ? subject.name : "metadata";
    if (!isObject(value)) {
      if (Array.isArray(value))
        return this.wrong(path, "must be a scalar, or an object of operators: a list goes into in");
      return this.operator({ subject, kind, field, operator: "eq", path }, value);
    }
    const operators = sorted(value);
    if (operators.length === 0) return this.wrong(path, "must have an operator");
    const tests = operators.map(([name, operand]) => {
      return this.operator({ subject, kind, field, operator: name as FilterOperator, path: [...path, name] }, operand);
    });
    return { kind: "all", of: tests };
  }

  private operator(condition: Condition, operand: unknown): FilterTree {
    const { kind, operator, path } = condition;
    if (!OPERATORS_OF[kind].includes(operator))
      return this.wrong(path, `is not an operator here: there are ${OPERATORS_OF[kind].join(", ")}`);
    const excess = this.excess(operator);
    if (excess !== undefined) return this.wrong(path, excess);
    if (operator === "exists") return this.exists(condition, operand);
    if (operator === "in" || operator === "nin") return this.list(condition, operand);
    const read = readOperand(operand, condition);
    return "fault" in read ? this.wrong(path, read.fault) : toTest(condition, [read.value]);
  }

  private excess(operator: FilterOperator): string | undefined {
    this.conditions += 1;
    if (operator === "icontains") this.icontains += 1;
    if (this.conditions > FILTER_CONDITIONS_MAX)
      return `a filter has at most ${String(FILTER_CONDITIONS_MAX)} conditions`;
    return this.icontains > FILTER_ICONTAINS_MAX
      ? `a filter has at most ${String(FILTER_ICONTAINS_MAX)} icontains`
      : undefined;
  }

  private exists(condition: Condition, operand: unknown): FilterTree {
    if (typeof operand !== "boolean") return this.wrong(condition.path, "must be true or false");
    const present = testOf(condition, { operator: "exists" });
    return operand ? present : { kind: "not", of: present };
  }

  private list(condition: Condition, operand: unknown): FilterTree {
    const { path } = condition;
    if (!Array.isArray(operand)) return this.wrong(path, "must be a list");
    if (operand.length > FILTER_LIST_MAX)
      return this.wrong(path, `must have at most ${String(FILTER_LIST_MAX)} members, not ${String(operand.length)}`);
    const values = operand.flatMap((each: unknown, index) => {
      const read = readOperand(each, condition);
      if ("value" in read) return [read.value];
      this.wrong([...path, index], read.fault);
      return [];
    });
    return toTest(condition, values);
  }

  private wrong(path: Path, message: string): FilterTree {
    if (this.faults.length < FAULTS_MAX) this.faults.push({ path, message });
    return WRONG;
  }
}

function toTest(condition: Condition, values: readonly (string | number | boolean | null | Date)[]): FilterTree {
  const [value = null] = values;
  switch (condition.operator) {
    case "eq":
    case "in":
      return testOf(condition, { operator: "one_of", values });
    case "ne":
    case "nin":
      return { kind: "not", of: testOf(condition, { operator: "one_of", values }) };
    case "contains":
      return testOf(condition, { operator: "contains", value });
    case "icontains":
      return testOf(condition, { operator: "icontains", value: String(value) });
    default:
      return testOf(condition, { operator: condition.operator as Comparison, value: value as string | number | Date });
  }
}

function testOf({ subject }: Condition, test: FilterTest): FilterTree {
  return { kind: "test", field: subject, test };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** By key, so that the same node gives the same tree. */
function sorted(value: Record<string, unknown>): [string, unknown][] {
  return Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
}
