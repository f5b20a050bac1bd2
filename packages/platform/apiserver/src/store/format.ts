import type { DatabaseSync } from "node:sqlite";

/** "Triv" in ASCII, in the header of the file: tells our stores from other SQLite databases. */
export const applicationId = 0x54726976;
/** Raised when older programs could misread what newer ones write. */
export const formatVersion = 1;

/**
 * `log` holds one row a change; `prev` is the row that it replaced (0: the object did not exist). A current object is a put
 * that no other row replaced. `sum` guards the row against a damaged disk. `mark` holds where compaction stands.
 */
const tables = `
  CREATE TABLE log (
    rv INTEGER PRIMARY KEY,
    resource TEXT NOT NULL,
    namespace TEXT NOT NULL,
    name TEXT NOT NULL,
    op TEXT NOT NULL,
    prev INTEGER NOT NULL,
    uid TEXT NOT NULL,
    labels TEXT,
    owners TEXT,
    sum INTEGER NOT NULL,
    value TEXT NOT NULL
  ) STRICT;
  CREATE TABLE mark (name TEXT PRIMARY KEY, revision INTEGER NOT NULL) STRICT, WITHOUT ROWID;
  INSERT INTO mark VALUES ('compacted', 0), ('swept', 0);
`;

/** Writes an empty store into a new database. */
export function layOut(database: DatabaseSync): void {
  database.exec(`
    PRAGMA page_size = 8192;
    PRAGMA auto_vacuum = INCREMENTAL;
    PRAGMA application_id = ${applicationId};
    PRAGMA user_version = ${formatVersion};
  `);
  database.exec(tables);
}
