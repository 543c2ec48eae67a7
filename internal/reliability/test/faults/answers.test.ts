import { type FreshDatabase, findDatabases } from '@jwt-auth/test-support'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { FrameworkName } from '../../src/cluster/instance/instance-settings.js'
import { type Instance, startInstance } from '../../src/cluster/instance/start-instance.js'
import type { GateMode, StorageMethod } from '../../src/cluster/instance/storage-gate.js'
import { measureSlowdown } from '../../src/faults/slowdown.js'
import { watchService } from '../../src/faults/watch.js'
import { everything, logIn, nothing, tryAll } from './try-all.js'

const frameworks: readonly FrameworkName[] = ['express5', 'express4', 'node:http']
const storageTimeoutMs = 150 * measureSlowdown()

const everyMethod: readonly StorageMethod[] = ['create', 'findByIds', 'findBySelectorHash', 'rotate', 'end']
/** For the others `undefined` is an answer that the port knows. */
const neverUndefined: readonly StorageMethod[] = ['findByIds', 'rotate', 'end']

interface Misbehaviour {
  readonly mode: GateMode
  readonly methods: readonly StorageMethod[]
  /** What comes of everything meanwhile, and when all is well again. */
  readonly during: readonly string[]
  readonly after: readonly string[]
}

const misbehaviours: readonly (readonly [string, Misbehaviour])[] = [
  [
    'answers undefined',
    {
      mode: 'answer-undefined',
      methods: neverUndefined,
      during: ['failed', 'failed', 'failed', 'granted', 'failed'],
      after: everything,
    },
  ],
  ['rejects', { mode: 'reject', methods: everyMethod, during: nothing, after: everything }],
  ['does nothing in time', { mode: 'hold-before', methods: everyMethod, during: nothing, after: everything }],
  [
    'does what it is asked, and answers too late',
    {
      mode: 'hold-after',
      methods: everyMethod,
      during: nothing,
      after: ['refused', 'refused', 'refused', 'granted', 'already-revoked'],
    },
  ],
]

let databases: readonly FreshDatabase[]
let instances: readonly Instance[]

beforeAll(async () => {
  const [sqlite] = await findDatabases()
  if (sqlite === undefined) throw new Error('SQLite is always there.')
  databases = await Promise.all(frameworks.map(sqlite.createDatabase))
  instances = await Promise.all(
    databases.map(({ url }, place) =>
      startInstance({ storageUrl: url, framework: frameworks[place] ?? 'express5', options: { storageTimeoutMs } }),
    ),
  )
})
afterAll(async () => {
  await Promise.all(instances.map((instance) => instance.kill()))
  await Promise.all(databases.map((database) => database.drop()))
})

const onEveryFramework = (act: (instance: Instance) => Promise<unknown>): Promise<readonly unknown[]> =>
  Promise.all(instances.map(act))

describe.each(misbehaviours)('a store that %s, on every framework', (_, { mode, methods, during, after }) => {
  it('lets nobody in who could not be checked, and takes nothing from anybody', async () => {
    const results = await onEveryFramework(async (instance) => {
      const watch = watchService(instance)
      const grant = await logIn(watch, watch.door, 1)
      await instance.setGate(methods, mode)
      const meanwhile = await tryAll(watch, watch.door, grant)
      await instance.setGate(methods, 'open')
      return [meanwhile, await tryAll(watch, watch.door, grant), await watch.findViolations()]
    })
    expect(results).toEqual(frameworks.map(() => [during, after, []]))
  })

  it('as it is asked for a rotation alone: the same refresh token is good afterwards, and leads to one successor', async () => {
    const results = await onEveryFramework(async (instance) => {
      const watch = watchService(instance)
      const { recorder, door } = watch
      const grant = await logIn(watch, door, 1)
      await instance.setGate(['rotate'], mode)
      const first = await recorder.refresh(door, grant)
      await instance.setGate(['rotate'], 'open')
      const retries = [await recorder.refresh(door, grant), await recorder.refresh(door, grant)]
      const tokens = new Set(retries.map((retry) => retry.grant?.refreshToken))
      return [first.outcome.kind, retries.map(({ outcome }) => outcome.kind), tokens.size, await watch.findViolations()]
    })
    expect(results).toEqual(frameworks.map(() => ['failed', ['granted', 'granted'], 1, []]))
  })
})
