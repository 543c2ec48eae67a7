import { createHash } from 'node:crypto'

/**
 * Creates the function that returns the name of a prepared statement of PostgreSQL. The same text always has the same name. Names start
 * with `jwt_auth_`.
 */
export const createStatementNames = (): ((text: string) => string) => {
  const names = new Map<string, string>()
  return (text) => {
    const name = names.get(text) ?? `jwt_auth_${createHash('sha256').update(text).digest('hex').slice(0, 32)}`
    names.set(text, name)
    return name
  }
}
