import { createHash, randomBytes, randomInt } from 'node:crypto'
import type { SessionStorage } from '@jwt-auth/core'
import type { SessionRecord } from '@jwt-auth/core/adapter'
import { knexStorage } from '@jwt-auth/storage-knex'
import { redisStorage } from '@jwt-auth/storage-redis'
import { connectTo, type Keep, openAll, withOpened } from '@jwt-auth/test-support'
import { createClient } from 'redis'
import { type Comparison, chooseContenders, inPairs, type Setting, type Table, toText } from '../comparison.js'
import { findStores, poolSize } from '../stores.js'
import { takeTurns } from '../take-turns.js'

/** The calls of a storage with many sessions, compared with the same storage with few. */
export const sessions: Comparison = {
  name: 'sessions',
  summary: 'Many sessions',
  run: async (setting) => {
    const present = findStores().flatMap(({ name, missing }) => (missing === undefined ? name : []))
    const tables: Table[] = []
    for (const name of ['PostgreSQL', 'Redis'] as const)
      if (present.includes(name) && chooseContenders(setting.effort, [name]).length > 0)
        tables.push(await compare(setting, name))
    return tables
  },
}

interface FilledStore {
  readonly storage: SessionStorage
  /** Its sessions are those of the numbers below this one. */
  readonly count: number
  /** The bytes of a session, by what they are for. */
  readonly bytes: Readonly<Record<string, number>>
}

const compare = (setting: Setting, name: 'PostgreSQL' | 'Redis'): Promise<Table> => {
  const { effort, log } = setting
  const counts = effort.isSmoke ? [100, 200] : [100_000, 10_000_000]
  const opening = openAll(async (keep) => {
    const stores: FilledStore[] = []
    for (const count of counts) {
      const server = await findStores()
        .find((kind) => kind.name === name)
        ?.start()
      if (server === undefined) throw new Error(`${name} is missing.`)
      keep(server.close)
      stores.push({ count, ...(await openers[name](setting, { url: server.url, count, keep })) })
    }
    return { stores }
  })
  return withOpened(opening, async ({ stores }) => {
    const measure = async ({ storage, count }: FilledStore) => {
      const figures: Record<string, number> = {}
      for (const [title, call] of Object.entries(calls))
        figures[title] = await measureCall((number) => call(storage, number), count, effort.seconds)
      figures['deletion of an expired session'] = await measureDeletion(storage)
      log(`${name} with ${count} sessions: ${JSON.stringify(figures)}`)
      return figures
    }
    const measured = await takeTurns(stores, measure, effort)
    const columns = stores.map((store) =>
      (measured.get(store) ?? []).map((figures) => ({ ...store.bytes, ...figures })),
    )
    const rows = Object.keys(columns[0]?.[0] ?? {}).map((title) => {
      const [few = [], many = []] = columns.map((rounds) => rounds.map((figures) => figures[title] ?? Number.NaN))
      return [title, toText(few), toText(many), toText(inPairs(many, few, (one, other) => one / other))]
    })
    const condition = name === 'Redis' ? ', without an append-only file' : ''
    const caption = `${name}${condition}: bytes, and milliseconds per call while ${clients} calls are in flight.`
    return { caption, head: ['', ...counts.map((count) => `${count.toLocaleString('en')} sessions`), 'ratio'], rows }
  })
}

const clients = 16
const issuer = 'https://bench.example'
const perUser = 10
const dayMs = 86_400_000

const toHash = (text: string): string => createHash('sha256').update(text).digest('base64url')

/** Returns the session of a number. The logins were in the last 28 days. */
const toSession = (number: number, now: number): SessionRecord => {
  const createdAt = now - (number % 28) * dayMs
  return {
    id: toHash(`id ${number}`).slice(0, 22),
    issuer,
    userId: Math.floor(number / perUser),
    selectorHash: toHash(`selector ${number}`),
    verifierHash: toHash('verifier'),
    recentVerifiers: [],
    createdAt,
    rotatedAt: createdAt,
    lastUsedAt: createdAt,
    idleExpiresAt: createdAt + 30 * dayMs,
    absoluteExpiresAt: createdAt + 90 * dayMs,
    endedAt: null,
    endReason: null,
    credentialVersion: null,
    dpopThumbprint: null,
    userAgent: 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
    ipAddress: '198.51.100.7',
    lastUserAgent: 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
    lastIpAddress: '198.51.100.7',
    label: null,
    attributes: null,
  }
}

/** What a request asks of a storage that has the session of a number. */
const calls: Readonly<Record<string, (storage: SessionStorage, number: number) => Promise<void>>> = {
  'guarded request': async (storage, number) => {
    const found = await storage.findByIds([toHash(`id ${number}`).slice(0, 22)])
    if (found.length !== 1) throw new Error('The session was not found.')
  },
  refresh: async (storage, number) => {
    const session = await storage.findBySelectorHash(toHash(`selector ${number}`))
    if (session === undefined || 'error' in session) throw new Error('The session was not found.')
    const now = Date.now()
    await storage.rotate({
      ...session,
      id: session.id,
      expectedVerifierHash: session.verifierHash,
      verifierHash: toHash(`verifier ${now}`),
      rotatedAt: now,
      lastUsedAt: now,
      idleExpiresAt: now + 30 * dayMs,
    })
  },
  'login: list of sessions, new session': async (storage, number) => {
    const now = Date.now()
    const userId = Math.floor(number / perUser)
    await storage.list({ issuer, userId, activeAt: now, limit: 100 })
    await storage.create({ ...toNewSession(now), userId })
  },
  'list of a user': async (storage, number) => {
    const found = await storage.list({ issuer, userId: Math.floor(number / perUser), activeAt: Date.now(), limit: 100 })
    if (found.length < perUser) throw new Error('The list is too short.')
  },
}

const toNewSession = (now: number): SessionRecord => ({
  ...toSession(0, now),
  id: randomBytes(16).toString('base64url'),
  selectorHash: toHash(randomBytes(18).toString('base64url')),
})

const measureCall = async (call: (number: number) => Promise<void>, count: number, seconds: number) => {
  const startedAt = performance.now()
  const endsAt = startedAt + seconds * 1_000
  let runs = 0
  const runClient = async (): Promise<void> => {
    do {
      await call(randomInt(count))
      runs += 1
    } while (performance.now() < endsAt)
  }
  await Promise.all(Array.from({ length: clients }, runClient))
  return ((performance.now() - startedAt) * clients) / runs
}

const measureDeletion = async (storage: SessionStorage): Promise<number> => {
  const now = Date.now()
  const limit = 1_000
  await Promise.all(Array.from({ length: limit }, () => storage.create(toNewSession(now - 100 * dayMs))))
  const startedAt = performance.now()
  const deleted = await storage.deleteExpired({ before: now, limit })
  if (deleted !== limit) throw new Error(`${deleted} sessions were deleted.`)
  return (performance.now() - startedAt) / limit
}

interface Opening {
  readonly url: string
  readonly count: number
  readonly keep: Keep
}

const batch = 250_000

// The database makes the copies: inserts of single sessions would take an hour.
const openPostgres = async ({ effort, log }: Setting, { url, count, keep }: Opening) => {
  const knex = connectTo(url, { min: poolSize, max: poolSize })
  keep(() => knex.destroy())
  const storage = knexStorage(knex)
  await storage.migrate()
  await storage.create({ ...toSession(0, Date.now()), id: 'template', selectorHash: 'template' })
  const names = Object.keys(await knex('jwt_auth_sessions').first())
  const hash = (text: string) => `rtrim(translate(encode(sha256(('${text} ' || n)::bytea), 'base64'), '+/', '-_'), '=')`
  const values: Readonly<Record<string, string>> = {
    id: `left(${hash('id')}, 22)`,
    user_id: `(n / ${perUser})::text`,
    selector_hash: hash('selector'),
  }
  const toValue = (name: string): string =>
    values[name] ?? (/_at$/.test(name) && name !== 'ended_at' ? `${name} - n % 28 * ${dayMs}::bigint` : name)
  for (let start = 0; start < count; start += batch) {
    effort.signal.throwIfAborted()
    const end = Math.min(start + batch, count) - 1
    await knex.raw(
      `insert into jwt_auth_sessions (${names.join(', ')}) select ${names.map(toValue).join(', ')} from jwt_auth_sessions, generate_series(${start}, ${end}) n where id = 'template'`,
    )
    log(`PostgreSQL has ${end + 1} of ${count} sessions`)
  }
  await knex('jwt_auth_sessions').where('id', 'template').delete()
  await knex.raw('vacuum (analyze) jwt_auth_sessions')
  const { rows } = await knex.raw(
    `select pg_table_size('jwt_auth_sessions') as table, pg_indexes_size('jwt_auth_sessions') as indexes`,
  )
  const [sizes] = rows
  return {
    storage,
    bytes: { 'bytes in the table': sizes.table / count, 'bytes in the indexes': sizes.indexes / count },
  }
}

// Redis makes the copies of one session that the storage has written.
const copySessionsScript = `
local issuer, createdAt, expiresAt = unpack(ARGV, 1, 3)
for place, copy in ipairs(cjson.decode(ARGV[4])) do
  local id, selector, user = unpack(copy)
  local key, index = 'jwt-auth:session:' .. id, place % 16
  redis.call('COPY', 'jwt-auth:session:template', key)
  redis.call('HSET', key, 'id', id, 'selectorHash', selector, 'user', user)
  redis.call('SET', 'jwt-auth:selector:' .. selector, id, 'EX', 8000000)
  redis.call('ZADD', 'jwt-auth:user:' .. user, createdAt, id)
  redis.call('EXPIRE', 'jwt-auth:user:' .. user, 8000000)
  redis.call('ZADD', 'jwt-auth:created:' .. index .. ':' .. issuer, createdAt + place, id)
  redis.call('ZADD', 'jwt-auth:expiry:' .. index, expiresAt + place, '["' .. id .. '","' .. selector .. '",' .. user .. ']')
end
`
const copiesPerCall = 1_000

const openRedis = async ({ effort, log }: Setting, { url, count, keep }: Opening) => {
  const client = await createClient({ url }).connect()
  keep(() => client.close())
  const storage = redisStorage(client)
  const readBytes = async () => Number(/used_memory:(\d+)/.exec(await client.info('memory'))?.[1])
  // Rewrites of the file during the copies would take most of the time, and twice the memory.
  await client.configSet('appendonly', 'no')
  const empty = await readBytes()
  const template = { ...toSession(0, Date.now()), id: 'template', selectorHash: 'template' }
  await storage.create(template)
  for (let start = 0; start < count; start += copiesPerCall) {
    effort.signal.throwIfAborted()
    const copies = Array.from({ length: Math.min(copiesPerCall, count - start) }, (_, offset) => {
      const { id, selectorHash, userId } = toSession(start + offset, 0)
      return [id, selectorHash, JSON.stringify([issuer, userId])]
    })
    // In the order of time, so that the indexes grow at their ends.
    const instants = [template.createdAt, template.idleExpiresAt].map((instant) => String(instant + start))
    await client.eval(copySessionsScript, { arguments: [issuer, ...instants, JSON.stringify(copies)] })
    if ((start + copiesPerCall) % batch === 0) log(`Redis has ${start + copiesPerCall} of ${count} sessions`)
  }
  return { storage, bytes: { bytes: ((await readBytes()) - empty) / count } }
}

const openers = { PostgreSQL: openPostgres, Redis: openRedis }
