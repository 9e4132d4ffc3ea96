import type { Queryable } from "./database.js";
import { sql, VectorArrayParameter, VectorParameter, type Sql } from "./sql.js";
import { encodeVector, encodeVectorArray } from "./vector-encoding.js";

interface VectorOids {
  readonly vector: number;
  readonly vectorArray: number;
}

/** Turns a statement's values into what a driver takes: vectors become bytes, all else stays. */
export class ParameterEncoder {
  private oids: VectorOids | undefined;

  /** `oids` are set where a value is a vector: extension types have another oid in every database. */
  async encode(statement: Sql, db: Queryable): Promise<{ values: unknown[]; oids: VectorOids | undefined }> {
    const { values } = statement;
    if (!values.some((value) => value instanceof VectorParameter || value instanceof VectorArrayParameter)) {
      return { values: [...values], oids: undefined };
    }
    const oids = (this.oids ??= await readVectorOids(db));
    const encoded = values.map((value) => {
      if (value instanceof VectorParameter) return encodeVector(value.vector);
      if (value instanceof VectorArrayParameter) return encodeVectorArray(value.vectors, oids.vector);
      return value;
    });
    return { values: encoded, oids };
  }
}

async function readVectorOids(db: Queryable): Promise<VectorOids> {
  const [row] = await db.run<VectorOids>(sql`
    select 'vector'::regtype::oid::integer as "vector",
           'vector[]'::regtype::oid::integer as "vectorArray"
  `);
  if (row === undefined) throw new Error("the type vector is missing");
  return row;
}
