import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { joinSql, numbered, sql, trustedSql, VectorParameter } from "../../src/db/sql.js";
import { openTestDatabase, type TestDatabase } from "../support/test-database.js";
import { uniqueName } from "../support/unique-name.js";

describe("sql", () => {
  it("makes every value a parameter, in the order in which they stand", () => {
    const statement = sql`select ${1} where a = ${"it's"} and b = ${null}`;
    expect(numbered(statement)).toBe("select $1 where a = $2 and b = $3");
    expect(statement.values).toEqual([1, "it's", null]);
  });

  it("splices in fragments, with their values, however deep", () => {
    const inner = sql`x = ${"inner"}`;
    const middle = sql`(${inner} or y = ${2})`;
    const statement = sql`${trustedSql("select")} ${0} where ${middle} and ${sql``}${inner} limit ${9}`;
    expect(numbered(statement)).toBe("select $1 where (x = $2 or y = $3) and x = $4 limit $5");
    expect(statement.values).toEqual([0, "inner", 2, "inner", 9]);
  });

  it("leaves a fragment as it is when it is used", () => {
    const fragment = sql`a = ${1}`;
    const copy = structuredClone(fragment);
    numbered(sql`select 1 where ${fragment} or ${fragment} or ${2} = ${3}`);
    expect(fragment).toEqual(copy);
  });

  it("joins fragments, and none to nothing", () => {
    const joined = joinSql([sql`a = ${1}`, sql`b`, sql`c = ${3}`], " and ");
    expect([numbered(joined), joined.values]).toEqual(["a = $1 and b and c = $2", [1, 3]]);
    expect(numbered(sql`select${joinSql([], ", ")}`)).toBe("select");
    expect(numbered(joinSql([sql`only ${1}`], " and "))).toBe("only $1");
  });

  it("takes a list, a date or a vector as one value", () => {
    const values = [["a", "b"], new Date(0), new VectorParameter(new Float32Array(3))] as const;
    const statement = sql`${values[0]}${values[1]}${values[2]}`;
    expect([numbered(statement), statement.values]).toEqual(["$1$2$3", values]);
  });
});

describe("a database", () => {
  let database: TestDatabase;

  beforeAll(async () => {
    database = await openTestDatabase();
  });

  afterAll(async () => {
    await database.close();
  });

  it("reads every type the same way", async () => {
    const [row] = await database.db.run(sql`
      select 9007199254740991::bigint as "large", 7 as "small", 0.1::double precision as "real", true as "flag",
             '2026-01-02T03:04:05.678Z'::timestamptz(3) as "at", '0001-01-01T00:00:00Z'::timestamptz as "first",
             '9999-12-31T23:59:59.999Z'::timestamptz as "last", null::text as "none", array['a', null, 'b,"c'] as "list",
             array[1, 2]::bigint[] as "numbers", '{"b": [1], "a": null}'::jsonb as "json",
             '0190a0a0-0000-7000-8000-000000000000'::uuid as "id", count(*) as "count"
    `);
    expect(row).toEqual({
      ...{ large: 9007199254740991, small: 7, real: 0.1, flag: true, none: null, count: 1 },
      ...{ at: new Date("2026-01-02T03:04:05.678Z"), last: new Date("9999-12-31T23:59:59.999Z") },
      ...{ first: new Date("0001-01-01T00:00:00Z"), json: { a: null, b: [1] }, list: ["a", null, 'b,"c'] },
      ...{ numbers: expect.anything(), id: "0190a0a0-0000-7000-8000-000000000000" },
    });
  });

  it("takes every type of value the same way", async () => {
    const at = new Date("2026-01-02T03:04:05.678Z");
    const values = { text: 'it\'s \\ "é" 👍', number: -1.5, big: 2n ** 62n, flag: false };
    const [row] = await database.db.run(sql`
      select ${values.text}::text as "text", ${values.number}::double precision as "number", ${values.big}::bigint::text as "big",
             ${values.flag}::boolean as "flag", ${null}::text as "none", ${at}::timestamptz as "at",
             ${["a", null, 'b,"c', "NULL", "{}", "\\"]}::text[] as "list", ${[]}::text[] as "empty",
             (${[2n ** 62n, -1n]}::bigint[])::text[] as "bigs", ${[true, false]}::boolean[] as "flags"
    `);
    expect(row).toEqual({
      ...{ ...values, big: String(values.big), none: null, at, list: ["a", null, 'b,"c', "NULL", "{}", "\\"] },
      ...{ empty: [], bigs: [String(2n ** 62n), "-1"], flags: [true, false] },
    });
  });

  it("refuses an integer that a number cannot hold", async () => {
    await expect(database.db.run(sql`select 9007199254740993::bigint as "large"`)).rejects.toThrow("select it as text");
    expect(await database.db.run(sql`select 1 as "one"`)).toEqual([{ one: 1 }]);
  });

  it("commits when the work resolves, and undoes all of it when it rejects", async () => {
    const { db } = database;
    const [kept, lost] = [uniqueName("tenant"), uniqueName("tenant")];
    await db.transaction(async (tx) => await tx.run(sql`insert into tenants (name) values (${kept})`));
    const failing = db.transaction(async (tx) => {
      await tx.run(sql`insert into tenants (name) values (${lost})`);
      throw new Error("changed my mind");
    });
    await expect(failing).rejects.toThrow("changed my mind");
    const names = await db.run(sql`select name from tenants where name = any(${[kept, lost]}::text[])`);
    expect(names).toEqual([{ name: kept }]);
  });

  it("goes on after a statement that fails, in a transaction or not", async () => {
    const { db } = database;
    await expect(db.run(sql`select 1 / ${0}::integer`)).rejects.toMatchObject({ code: "22012" });
    await expect(db.run(sql`select ${"no number"}::integer`)).rejects.toMatchObject({ code: "22P02" });
    const failing = db.transaction(async (tx) => await tx.run(sql`select ${"no time"}::timestamptz`));
    await expect(failing).rejects.toThrow();
    for (let n = 0; n < 12; n += 1) {
      await expect(db.transaction(async (tx) => await tx.run(sql`select 1 / 0`))).rejects.toMatchObject({
        code: "22012",
      });
    }
    expect(await db.run(sql`select 1 as "one"`)).toEqual([{ one: 1 }]);
  });

  it("does not mix up transactions that run at the same time", async () => {
    const { db } = database;
    const names = Array.from({ length: 10 }, () => uniqueName("tenant"));
    const counts = await Promise.all(
      names.map(
        async (name) =>
          await db.transaction(async (tx) => {
            await tx.run(sql`insert into tenants (name) values (${name})`);
            return await tx.run(sql`select name from tenants where name = any(${names}::text[]) and name = ${name}`);
          }),
      ),
    );
    expect(counts).toEqual(names.map((name) => [{ name }]));
  });

  it("says what and where it is, without credentials", () => {
    expect(database.db.description).toMatch(/PostgreSQL \d+\.\d+, pgvector \d/);
    expect(database.db.description).not.toMatch(/@|password/);
  });
});
