import { sampleSession } from '@jwt-auth/storage-conformance'
import { type SqlExecutor, sqlStorage } from '@jwt-auth/storage-sql'
import { expect, it } from 'vitest'
import type { DatabaseServer } from './databases.js'
import { describeEach } from './describe-each.js'
import type { OpenedExecutor } from './executor-suite.js'
import { hourly } from './limiter-cases.js'

/** Opens a client with a setting, by the name of the setting. */
type Settings = Readonly<Record<string, (url: string) => OpenedExecutor>>

/** Declares tests of the settings of a client: of those that work, and of those that are refused. */
export const describeSettings = (
  title: string,
  server: DatabaseServer,
  { working, refused }: Record<'working' | 'refused', Settings>,
): void => {
  describeEach([server], `storage over ${title} on $name`, ({ createDatabase }) => {
    const run = async (open: (url: string) => OpenedExecutor, use: (executor: SqlExecutor) => Promise<void>) => {
      const database = await createDatabase()
      const { executor, close } = open(database.url)
      try {
        await use(executor)
      } finally {
        await close()
        await database.drop()
      }
    }

    it.each(Object.entries(working))('works with %s', (_, open) => run(open, useEverything))

    it.each(Object.entries(refused))('refuses %s', (_, open) =>
      run(open, async (executor) => {
        const [storage, refusal] = [
          sqlStorage(executor),
          /\((?:NO_BACKSLASH_ESCAPES|UNSAFE_CHARACTER_SET|AUTOCOMMIT_OFF)\); /,
        ]
        await expect(storage.create(sampleSession(1))).rejects.toThrow(refusal)
        await expect(storage.migrate()).rejects.toThrow(refusal)
      }),
    )
  })
}

const ending = { endedAt: sampleSession(1).createdAt + 1, endReason: 'revoked' }

const useEverything = async (executor: SqlExecutor): Promise<void> => {
  const [storage, limiter] = [sqlStorage(executor), sqlStorage(executor).limiter]
  await storage.migrate()
  expect(await storage.status()).toMatchObject({ isReady: true })
  const session = sampleSession(1, { userAgent: 'it\'s \\ " $1 ? :name', userId: 'zoë' })
  await storage.create(session)
  const { id, verifierHash: expectedVerifierHash } = session
  const rotate = (next: number) => storage.rotate({ ...session, expectedVerifierHash, verifierHash: `next ${next}` })
  const outcomes = await Promise.all([1, 2, 3, 4, 5, 6].map(rotate))
  expect(outcomes.filter((outcome) => outcome === 'rotated')).toHaveLength(1)
  const found = expect.objectContaining({ ...session, verifierHash: expect.stringContaining('next') })
  expect(await storage.findByIds([id])).toEqual([found])
  expect(await storage.findBySelectorHash(session.selectorHash)).toEqual(found)
  expect(await storage.end({ id, ...ending })).toEqual({ outcome: 'ended' })
  expect(await storage.end({ id, ...ending })).toMatchObject({ outcome: 'already-ended' })
  const now = Date.now()
  for (const count of [1, 2]) {
    expect((await limiter.reserve([hourly('ann')], { now })).windows).toEqual([
      { key: 'ann', count, endsAt: now + 3_600_000 },
    ])
  }
}
