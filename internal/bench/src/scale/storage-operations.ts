import { hashOf, isOver, issuer, lookedAt, openedAt, userOf } from './numbered-session.js'
import type { SizedStore } from './sized-store.js'

/** One call to a store that is measured. Throws when its answer is not the one it must give. */
export interface StorageOperation {
  readonly name: string
  /** The session it is about is live, and no call was about it before. */
  readonly run: (store: Pick<SizedStore, 'storage' | 'schema'>, number: number) => Promise<void>
}

const expect = (isTrue: boolean, what: string): void => {
  if (!isTrue) throw new Error(`The store answered wrongly: ${what}.`)
}

/** What the guard, a refresh, a logout and a list of devices ask of a store. */
export const storageOperations: readonly StorageOperation[] = [
  {
    name: 'lookup',
    run: async ({ storage, schema: { ids } }, number) => {
      const id = ids.of(number)
      const [session] = await storage.findByIds([id])
      expect(session?.id === id, 'the session is not there')
    },
  },
  {
    name: 'rotate',
    run: async ({ storage, schema: { ids } }, number) => {
      const outcome = await storage.rotate({
        sessionId: ids.of(number),
        expectedVerifierHash: hashOf('verifier', number),
        verifierHash: hashOf('verifier', -number),
        recentVerifiers: [
          { verifierHash: hashOf('verifier', number), salt: 'c2FsdHNhbHRzYWx0c2FsdA', replacedAt: lookedAt },
        ],
        rotatedAt: lookedAt,
        lastUsedAt: lookedAt,
        idleExpiresAt: lookedAt + 1_000_000_000,
        lastUserAgent: null,
        lastIpAddress: null,
      })
      expect(outcome === 'rotated', outcome)
    },
  },
  {
    name: 'revoke',
    run: async ({ storage, schema: { ids } }, number) => {
      const { outcome } = await storage.end(ids.of(number), { endedAt: lookedAt, endReason: 'revoked' })
      expect(outcome === 'ended', outcome)
    },
  },
  {
    name: 'list',
    run: async ({ storage }, number) => {
      const sessions = await storage.listActive({ issuer, userId: userOf(number) }, { now: lookedAt, limit: 1_000 })
      expect(
        sessions.some(({ createdAt }) => createdAt === openedAt + number),
        'the session is not in the list',
      )
      expect(
        sessions.every(({ userId }) => userId === userOf(number)),
        'a session of another user',
      )
    },
  },
]

/**
 * Live sessions of a store, each once, far from each other.
 *
 * @param size how many sessions the store has
 */
export function* drawNumbers(size: number): Generator<number, never> {
  // A prime that divides no size in use visits every number once before any comes again.
  const stride = 15_485_863
  for (let turn = 1; ; turn += 1) {
    const number = (turn * stride) % size
    if (!isOver(number)) yield number
  }
}
