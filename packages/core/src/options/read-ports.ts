import { invalidOption, isPromise, readPort } from '../option-checks.js'
import { type SessionStorage, sessionStorageMethods } from '../ports/session-storage.js'
import type { UserDirectory } from '../ports/user-directory.js'

/** Reads the option `storage`. The error for a value that stands for a storage names the call that makes one of it. */
export const readStorage = (storage: SessionStorage): SessionStorage => {
  if (storage === undefined) {
    const fix = 'pass `memoryStorage()` for first steps, or `knexStorage(knex)` or `redisStorage(client)`.'
    throw invalidOption('storage', 'is missing', fix)
  }
  refuseUnwrapped('storage', storage, {
    knex: 'knexStorage(knex)',
    redis: 'redisStorage(client)',
    sql: 'sqlStorage(pgExecutor(pool))',
  })
  return readPort('storage', storage, sessionStorageMethods)
}

const directoryMethods = ['findByUsername', 'findById', 'verifyPassword'] as const

/** Reads the option `users`. The error for a value that stands for a directory names the call that makes one of it. */
export const readUsers = (users: UserDirectory): UserDirectory => {
  if (users === undefined) {
    const fix = 'pass `passwordUsers({ findByUsername, findById })` or `knexUsers(knex, { table, columns })`.'
    throw invalidOption('users', 'is missing', fix)
  }
  refuseUnwrapped('users', users, { knex: "knexUsers(knex, { table: 'users', columns: { … } })" })
  const wrap = 'wrap your two functions: `passwordUsers({ findByUsername, findById })`.'
  if (Array.isArray(users)) throw invalidOption('users', 'is an array', wrap)
  if (lacksOnly('verifyPassword', users)) throw invalidOption('users', 'lacks the method verifyPassword', wrap)
  return readPort('users', users, directoryMethods)
}

/** The calls that make a port of a client. */
interface Wrappers {
  readonly knex: string
  readonly redis?: string
  readonly sql?: string
}

const refuseUnwrapped = (name: string, value: unknown, { knex, redis, sql }: Wrappers): void => {
  if (isPromise(value)) throw invalidOption(name, 'is a promise', `await it: \`${name}: await …\`.`)
  if (hasMember(value, 'raw') && hasMember(value, 'client')) {
    throw invalidOption(name, 'is a knex instance', `wrap it: \`${name}: ${knex}\`.`)
  }
  if (redis !== undefined && hasMember(value, 'sendCommand')) {
    throw invalidOption(name, 'is a Redis client', `wrap a node-redis client: \`${name}: ${redis}\`.`)
  }
  if (sql !== undefined && hasMember(value, 'dialect') && hasMember(value, 'transaction')) {
    throw invalidOption(name, 'is an executor', `wrap it: \`${name}: sqlStorage(executor)\`.`)
  }
  // A pool of pg or mysql2, postgres.js, and the SQLite drivers.
  if (sql !== undefined && ['query', 'unsafe', 'prepare'].some((method) => hasMember(value, method))) {
    const executors = 'with the executor of your client, from @jwt-auth/storage-sql'
    throw invalidOption(name, 'is a SQL client', `wrap it: \`${name}: ${sql}\`, ${executors}.`)
  }
  if (typeof value !== 'function') return
  if (hasMember(value, 'guard') && hasMember(value, 'sessions')) {
    throw invalidOption(name, 'is what jwtAuth returned', `pass the value that jwtAuth received as \`${name}\`.`)
  }
  const isClass = /^class\b/.test(Function.prototype.toString.call(value))
  const call = `\`${name}: ${isClass ? 'new ' : ''}${value.name || (isClass ? 'Class' : 'create')}(…)\``
  throw invalidOption(
    name,
    isClass ? 'is a class' : 'is a function',
    `${isClass ? 'create an instance' : 'call it'}: ${call}.`,
  )
}

const hasMember = (value: unknown, name: string): boolean =>
  (typeof value === 'function' || (typeof value === 'object' && value !== null)) && name in value

const lacksOnly = (method: (typeof directoryMethods)[number], value: unknown): boolean =>
  hasMember(value, 'findById') && directoryMethods.every((one) => hasMember(value, one) === (one !== method))
