import { sql } from "../sql.js";

/**
 * The id of the served space in the statement's own snapshot, null where none is served; it is looked up once for each
 * statement. Whatever depends on the served space takes it from here, so that one row's change switches everything.
 */
export const SERVED = sql`(select id from spaces where state = 'served')`;
