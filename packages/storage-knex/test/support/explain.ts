import { getMember } from '@jwt-auth/core/internal'
import type { SqlExecutor, SqlValue } from '@jwt-auth/storage-sql'
import type { DialectName, Row } from '@jwt-auth/storage-sql/internal'

/** What a statement does that reads every row of the table or of an index. */
export const wholeTable = 'whole table'

/**
 * Returns how the database would reach the rows of a statement, sorted: by the index `of ids` or
 * `of selectors`, by another index under its suffix, or by reading the {@link wholeTable}.
 *
 * @throws Error when the plan holds no access to the table that this function understands
 */
export const explain = async (
  { dialect, query }: SqlExecutor,
  [sql, values]: readonly [sql: string, values: readonly SqlValue[]],
): Promise<readonly string[]> => {
  const { verb, readAccesses } = plans[dialect]
  const { rows = [] } = await query(`${verb} ${sql}`, values)
  const accesses = readAccesses(rows).map((index) => (index === undefined ? wholeTable : toName(index)))
  if (accesses.length === 0) throw new Error(`no access to the table in the plan: ${JSON.stringify(rows)}`)
  return [...new Set(accesses)].sort()
}

/**
 * How a database writes its plans. An access is the name of an index, or `undefined` for all rows.
 */
interface Plans {
  readonly verb: string
  readonly readAccesses: (rows: readonly Row[]) => readonly (string | undefined)[]
}

const plans: Readonly<Record<DialectName, Plans>> = {
  sqlite: {
    verb: 'explain query plan',
    readAccesses: (rows) =>
      rows.flatMap(({ detail }) => {
        const [, way, index] = /^(SCAN|SEARCH) \S+(?: USING (?:COVERING )?INDEX (\S+))?/.exec(String(detail)) ?? []
        return way === undefined ? [] : [way === 'SEARCH' ? index : undefined]
      }),
  },
  postgresql: {
    verb: 'explain (format json)',
    readAccesses: (rows) => rows.flatMap((row) => readNode(getMember(getMember(row['QUERY PLAN'], 0), 'Plan'))),
  },
  // Not the format that the server has by default, which differs between versions.
  mysql: {
    verb: 'explain format=traditional',
    readAccesses: (rows) =>
      rows
        .filter(({ table }) => table !== null)
        .map(({ type, key }) => (type === 'ALL' || type === 'index' || key === null ? undefined : String(key))),
  },
}

/** Reads a node of PostgreSQL's plan and the nodes below it. */
const readNode = (node: unknown): readonly (string | undefined)[] => {
  const below = getMember(node, 'Plans')
  const accesses = Array.isArray(below) ? below.flatMap(readNode) : []
  const index = getMember(node, 'Index Name')
  if (index !== undefined) return [getMember(node, 'Index Cond') === undefined ? undefined : String(index), ...accesses]
  return getMember(node, 'Node Type') === 'Seq Scan' ? [undefined, ...accesses] : accesses
}

const unique: Readonly<Record<string, string>> = {
  sqlite_autoindex_jwt_auth_sessions_1: 'of ids',
  sqlite_autoindex_jwt_auth_sessions_2: 'of selectors',
  jwt_auth_sessions_pkey: 'of ids',
  jwt_auth_sessions_selector_hash_key: 'of selectors',
  PRIMARY: 'of ids',
  selector_hash: 'of selectors',
}

const toName = (index: string): string => unique[index] ?? index.replace('jwt_auth_sessions_', '')
