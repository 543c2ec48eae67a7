import { createHash } from 'node:crypto'

/**
 * Creates the function that returns the name of a prepared statement of PostgreSQL. The same text always has the same name. Names start
 * with `jwt_auth_`. A statement without parameters has no name: it reads the schema, perhaps before the tables exist, and PgBouncer
 * refuses a name whose first statement could not be prepared.
 */
export const createStatementNames = (): ((text: string) => string | undefined) => {
  const names = new Map<string, string>()
  return (text) => {
    if (!text.includes('$1')) return undefined
    const name = names.get(text) ?? `jwt_auth_${createHash('sha256').update(text).digest('hex').slice(0, 32)}`
    names.set(text, name)
    return name
  }
}
