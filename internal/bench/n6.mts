import { createTokenService } from '@jwt-auth/core'
import { knexLimits, knexStorage } from '@jwt-auth/storage-knex'
import knex from 'knex'
const [, , which, concurrencyText = '30', secondsText = '4', distinct] = process.argv
const url = which === 'pg' ? 'postgres://postgres@127.0.0.1:5432/test' : 'mysql://root@127.0.0.1:3306/test'
const db = knex({ client: which === 'pg' ? 'pg' : 'mysql2', connection: url, pool: { min: 0, max: 10 } })
const table = `n6_${process.pid}`
const storage = knexStorage(db, { table })
await storage.migrate()
const user = { id: 1, email: 'a@x.example', username: 'ann', nicename: 'ann', displayName: 'Ann' }
const errors: Record<string, number> = {}
const service: any = createTokenService({
  secret: 'vX2h-7Qm_Lr9Tz4KpW0sYb6NcD1fGjE8', issuer: 'https://n6.example', storage, storageTimeoutMs: 1000,
  users: { findByUsername: async () => user, findById: async () => user, verifyPassword: async (_u: any, p: string) => p === 'right' },
  rateLimits: { limiter: knexLimits(db, { table }) }, onError: (e: any) => { const m = String(e.cause?.message ?? e.message).slice(0, 60); errors[m] = (errors[m] ?? 0) + 1 },
} as any)
let statements = 0
const client: any = (db as any).client
const original = client._query.bind(client)
client._query = (...args: any[]) => { statements += 1; return original(...args) }
const pair = await service.sessions.create(1)
const sleep = (ms: number) => new Promise((r) => setTimeout(r, ms))
const measure = async (ms: number) => {
  const end = performance.now() + ms; const out: [string, number][] = []; const pending: Promise<void>[] = []
  while (performance.now() < end) {
    const t = performance.now()
    pending.push(service.authorize(pair.accessToken).then(() => '200', (e: any) => e.code).then((c: string) => void out.push([c, performance.now() - t])))
    await sleep(50)
  }
  await Promise.all(pending)
  const times = out.map(([, t]) => t).sort((a, b) => a - b)
  const codes: Record<string, number> = {}; for (const [c] of out) codes[c] = (codes[c] ?? 0) + 1
  return `guard ${JSON.stringify(codes)} median ${times[times.length >> 1]!.toFixed(1)} p90 ${times[Math.floor(times.length * .9)]!.toFixed(1)} slowest ${times.at(-1)!.toFixed(0)} ms`
}
console.log('quiet', await measure(1500))
let stop = false, sent = 0
// One attempt every 20 ms for each connection: the client leaves then.
const attack = async (k: number) => {
  await sleep(k % 20)
  while (!stop) {
    sent += 1
    const c = new AbortController()
    service.authenticate({ username: distinct ? `n${sent}` : 'ann', password: 'wrong' }, { address: '192.0.2.66', signal: c.signal }).catch(() => {})
    await sleep(20)
    c.abort()
  }
}
const attackers = Array.from({ length: Number(concurrencyText) }, (_, k) => attack(k))
await sleep(300)
const [s0, q0, c0, t0] = [sent, statements, process.cpuUsage(), performance.now()]
const result = await measure(Number(secondsText) * 1000)
const cpu = process.cpuUsage(c0), dt = (performance.now() - t0) / 1000, n = sent - s0
console.log('flood', result, `| ${Math.round(n / dt)} attempts/s, ${((statements - q0) / n).toFixed(2)} statements each, ${((cpu.user + cpu.system) / n).toFixed(0)} µs CPU each`, JSON.stringify(errors))
stop = true
await Promise.all(attackers)
await sleep(500)
for (const suffix of ['', '_limits', '_migrations']) await db.schema.dropTableIfExists(table + suffix)
process.exit(0)
