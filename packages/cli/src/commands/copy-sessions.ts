import { isDeepStrictEqual } from 'node:util'
import type { SessionStorage } from '@jwt-auth/core'
import type { FoundSession } from '@jwt-auth/core/adapter'
import { isActive, readIssuers, toConfirmation } from '@jwt-auth/core/internal'
import type { CliConfig } from '../config.js'
import { createProgress, type Result, type Terminal, UsageError } from '../terminal.js'

type Options = CliConfig['options']

/**
 * Copies the active sessions of the configured issuers to the storage of another configuration,
 * with what changed since an earlier copy. Then compares the active sessions of both.
 *
 * @throws UsageError if a storage is not ready, or the configurations do not fit; nothing was
 *   written
 */
export const copySessions = async (from: Options, to: Options, terminal: Terminal): Promise<Result> => {
  const now = terminal.now()
  await requireFit(from, to)
  // Without the right to write, this call fails before anything is written.
  await to.storage.end({ id: 'no session', endedAt: now, endReason: 'revoked' })
  const result = { copied: 0, rotated: 0, ended: 0, differing: 0 }
  const onRead = createProgress(terminal, 'sessions read')
  for await (const pairs of readPairs(from, to, terminal)) {
    // After a failure, no other write may be in flight: the clients are closed next.
    const changes = await Promise.allSettled(pairs.map(([session, held]) => copyOne(to.storage, session, held, now)))
    for (const change of changes) {
      if (change.status === 'rejected') throw change.reason
      if (change.value !== undefined) result[change.value] += 1
    }
    onRead(pairs.length)
  }
  const differing = new Set<string>()
  const onCompared = createProgress(terminal, 'sessions compared')
  for (const direction of [readPairs(from, to, terminal), readPairs(to, from, terminal)]) {
    for await (const pairs of direction) {
      for (const [session, held] of pairs) {
        const mayBeActive = 'error' in session || isActive(session, now)
        if (mayBeActive && !isDeepStrictEqual(session, held)) differing.add(session.id)
      }
      onCompared(pairs.length)
    }
  }
  result.differing = differing.size
  const text = Object.entries(result).map(([name, count]) => `${name}: ${count}`)
  const differingIds = [...differing].slice(0, 5)
  if (differing.size > 0) text.push(`such as ${differingIds.join(', ')}`)
  return { text: `Sessions ${text.join(', ')}`, json: { ...result, differingIds }, isProblem: differing.size > 0 }
}

const requireFit = async (from: Options, to: Options): Promise<void> => {
  const stores: string[] = []
  for (const [place, { storage }] of Object.entries({ source: from, target: to })) {
    if (storage.findPage === undefined) throw new UsageError(`The storage of the ${place} has no method findPage.`)
    const status = await storage.status?.()
    if (status?.isReady === false)
      throw new UsageError(`The storage of the ${place} is not ready. Run \`doctor\` with its configuration.`)
    // Only some storages know which tables or keys they use.
    if (status?.store !== undefined) stores.push(status.store)
  }
  if (new Set(stores).size < stores.length)
    throw new UsageError('The source and the target are the same tables or keys of one database.')
  if (!isDeepStrictEqual(readIssuers('issuer', from.issuer), readIssuers('issuer', to.issuer)))
    throw new UsageError('The configurations have different issuers.')
}

/**
 * Reads the sessions of the issuers in pages, each with the session that the other storage holds.
 */
const readPairs = async function* ({ storage, issuer }: Options, other: Options, { signal }: Terminal) {
  const issuers = readIssuers('issuer', issuer)
  let after: string | undefined
  do {
    signal.throwIfAborted()
    const page = await storage.findPage?.({ after, limit: 200 })
    const sessions = page?.sessions.filter((session) => 'error' in session || issuers.includes(session.issuer)) ?? []
    const found = await other.storage.findByIds(sessions.map(({ id }) => id))
    const held = new Map(found.map((session) => [session.id, session]))
    yield sessions.map((session) => [session, held.get(session.id)] as const)
    after = page?.next
  } while (after !== undefined)
}

/** Writes what the target lacks of a session. Undoes no end and no later rotation of the target. */
const copyOne = async (target: SessionStorage, session: FoundSession, held: FoundSession | undefined, now: number) => {
  if ('error' in session || (held !== undefined && 'error' in held)) return undefined
  const { id, endedAt, endReason } = session
  if (held === undefined) {
    if (!isActive(session, now)) return undefined
    await target.create(session)
    return 'copied'
  }
  if (held.endedAt !== null) return undefined
  if (endedAt !== null) {
    await target.end({ id, endedAt, endReason: endReason ?? '' })
    return 'ended'
  }
  // The clocks of the instances that rotated the session may differ.
  const isReplaced = session.recentVerifiers.some((recent) => recent.verifierHash === held.verifierHash)
  if (session.rotatedAt <= held.rotatedAt && !isReplaced) return undefined
  await target.rotate({ ...toConfirmation(session), expectedVerifierHash: held.verifierHash })
  return 'rotated'
}
