import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { createTokenService, memoryLimits } from '@jwt-auth/core'
import { memoryStorage } from '@jwt-auth/storage-memory'
import { testSecret } from '@jwt-auth/test-support/token-forger'
import type { Comparison } from '../comparison.js'
import { toText } from '../table.js'
import { sampleUsers } from '../world/sample-user.js'

const attempts = 500_000
const ninetyDaysMs = 90 * 24 * 60 * 60 * 1_000

/** The memory of failed logins, refused tokens and known networks, each from a network of its own. */
export const memory: Comparison = {
  name: 'memory',
  summary: 'the memory of failed logins and refused tokens',
  run: async ({ effort, log }) => {
    const count = effort.isSmoke ? 100 : attempts
    let elapsedMs = 0
    const service = createTokenService({
      secret: testSecret,
      issuer: 'https://api.example.com',
      users: sampleUsers,
      storage: memoryStorage({ quiet: true }),
      system: { monotonicMs: () => elapsedMs, startTimer: () => () => {} },
    })
    const limits = memoryLimits()
    const fail = (number: number) =>
      service.authenticate({ username: `user-${number}`, password: 'x' }, originOf(number))
    const refuse = (number: number) => service.refresh('x', originOf(number))
    const know = (number: number) =>
      limits.refund([], { now: elapsedMs, mark: { key: `known:${number}`, endsAt: elapsedMs + ninetyDaysMs } })
    const kinds: readonly (readonly [string, (number: number) => Promise<unknown>])[] = [
      ['failed logins', fail],
      ['refused tokens', refuse],
      ['known networks', know],
    ]

    const startedAt = readHeap()
    const grown: number[] = []
    for (const [name, attempt] of kinds) {
      for (let number = 0; number < count; number += 1) await attempt(number).catch(() => {})
      grown.push(readHeap() - startedAt)
      log(name)
    }
    elapsedMs += ninetyDaysMs
    for (const [, attempt] of kinds) await attempt(0).catch(() => {})
    await limits.reserve([], { now: elapsedMs })
    const left = readHeap() - startedAt
    const rows = kinds.map(([name], index) => [name, toMiB((grown[index] ?? 0) - (grown[index - 1] ?? 0))])
    return [
      {
        caption: `After ${toText(count)} of each, and after their windows:`,
        head: ['', 'MiB'],
        rows: [...rows, ['together, after their windows', toMiB(left)]],
      },
    ]
  },
}

const originOf = (number: number) => ({ address: `10.${number >> 16}.${(number >> 8) & 255}.${number & 255}` })

const toMiB = (bytes: number): string => (bytes / 2 ** 20).toFixed(1)

setFlagsFromString('--expose-gc')
const collectGarbage: () => void = runInNewContext('gc')

/** Returns the size of the heap without garbage, in bytes. */
const readHeap = (): number => {
  for (const _ of ['young', 'old']) collectGarbage()
  return process.memoryUsage().heapUsed
}
