import type { SessionStorage } from '@jwt-auth/core'
import { hasMethod, sessionStorageMethods } from '@jwt-auth/core/internal'
import { cleanUpCases } from './cases/clean-up.js'
import { copyCases } from './cases/copies.js'
import { creationCases } from './cases/creation.js'
import { damageCases } from './cases/damage.js'
import { deadlineCases } from './cases/deadlines.js'
import { endingCases } from './cases/ending.js'
import { failureCases, statusCases } from './cases/failures.js'
import { interruptionCasesAt } from './cases/interruptions.js'
import { listingCases } from './cases/listing.js'
import { lookupCases } from './cases/lookup.js'
import { pageCases } from './cases/pages.js'
import { precisionCases } from './cases/precision.js'
import { rotationCases } from './cases/rotation.js'
import { sharingCasesOf } from './cases/sharing.js'
import { textCases } from './cases/text.js'
import { userCases } from './cases/users.js'
import { waitingCases } from './cases/waiting.js'
import type { AdapterUnderTest, Awaitable, ConformanceCase, Damage, Hold, Requirement } from './conformance-case.js'
import { withTimeLimit } from './time-limit.js'

/**
 * Returns the cases that an adapter can run, for any test runner.
 *
 * @param limitMs the time limit for creating the storages of a case, for the case, and for closing
 * each storage, in milliseconds; by default there is none
 * @example
 * ```ts
 * const adapter = { createStorage, createFailingStorage, … }
 * for (const { title, run } of conformanceCases(adapter)) test(title, run)
 * ```
 */
export const conformanceCases = (adapter: AdapterUnderTest, limitMs?: number): readonly ConformanceCase[] => {
  const { createStorage, createFailingStorage: createFailing, createInterruptedStorages: interrupt } = adapter
  const within = <T>(name: string, work: () => Awaitable<T>): Promise<T> =>
    withTimeLimit(name, Promise.resolve().then(work), limitMs)

  const casesOf = <Args extends readonly (SessionStorage | Hold | Damage)[]>(
    create: (() => Awaitable<Readonly<Args>>) | undefined,
    requirements: readonly Requirement<Args>[],
  ): readonly ConformanceCase[] => {
    if (!create) return []
    return requirements.map(({ capability, title, run }) => ({
      capability,
      title,
      run: async () => {
        const args = await within('creating the storages', create)
        try {
          for (const arg of args) requireMethods(arg)
          await within('the case', () => run(...args))
        } finally {
          for (const arg of new Set(args)) {
            if (typeof arg === 'object') await within('closing a storage', () => adapter.close?.(arg))
          }
        }
      },
    }))
  }

  const createTwice = async () => {
    const storage = await createStorage()
    return [storage, storage] as const
  }
  return [
    ...casesOf(async () => [await createStorage()] as const, requirements),
    ...casesOf(createTwice, sharingCasesOf('concurrency')),
    ...casesOf(createFailing && (async () => [await createFailing()] as const), failureCases),
    ...casesOf(interrupt && (() => interrupt('before-commit')), interruptionCasesAt('before-commit')),
    ...casesOf(interrupt && (() => interrupt('after-commit')), interruptionCasesAt('after-commit')),
    ...casesOf(adapter.createHeldStorage, waitingCases),
    ...casesOf(adapter.createSharedStorages, sharingCasesOf('sharing')),
    ...casesOf(adapter.createProcessStorages, sharingCasesOf('processes')),
    ...casesOf(adapter.createDamageableStorage, damageCases),
  ]
}

/** Throws a `TypeError` that names the methods that a storage lacks. */
const requireMethods = (arg: SessionStorage | Hold | Damage): void => {
  if (typeof arg === 'function' || typeof arg === 'string') return
  const missing = sessionStorageMethods.filter((name) => !hasMethod(arg, name))
  if (missing.length === 0) return
  throw new TypeError(`expected a session storage, but these methods are missing: ${missing.join(', ')}.`)
}

const requirements = [
  ...creationCases,
  ...lookupCases,
  ...rotationCases,
  ...endingCases,
  ...listingCases,
  ...pageCases,
  ...cleanUpCases,
  ...copyCases,
  ...precisionCases,
  ...textCases,
  ...userCases,
  ...deadlineCases,
  ...statusCases,
]
