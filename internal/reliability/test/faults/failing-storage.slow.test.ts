import { type FreshDatabase, findDatabases } from '@jwt-auth/test-support'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { FrameworkName } from '../../src/cluster/instance/instance-settings.js'
import { type Instance, startInstance } from '../../src/cluster/instance/start-instance.js'
import type { GateMode, StorageMethod } from '../../src/cluster/instance/storage-gate.js'
import { measureSlowdown } from '../../src/faults/stage.js'
import { watchService } from '../../src/faults/watch.js'
import { allFail, allSucceed, logIn, tryAll } from './support/try-all.js'

const frameworks: readonly FrameworkName[] = ['express5', 'express4', 'node:http']
const storageTimeoutMs = 150 * measureSlowdown()

const allMethods: readonly StorageMethod[] = ['create', 'findByIds', 'findBySelectorHash', 'rotate', 'end']
/** For the other methods, the port allows `undefined`. */
const neverUndefined: readonly StorageMethod[] = ['findByIds', 'rotate', 'end']

interface Misbehaviour {
  readonly mode: GateMode
  readonly methods: readonly StorageMethod[]
  /** The outcomes of all requests during the misbehaviour and after it. */
  readonly during: readonly string[]
  readonly after: readonly string[]
}

const misbehaviours: readonly (readonly [string, Misbehaviour])[] = [
  [
    'resolves to undefined',
    {
      mode: 'resolve-undefined',
      methods: neverUndefined,
      during: ['failed', 'failed', 'failed', 'granted', 'failed'],
      after: allSucceed,
    },
  ],
  ['rejects', { mode: 'reject', methods: allMethods, during: allFail, after: allSucceed }],
  [
    'does nothing before the deadline',
    { mode: 'hold-before', methods: allMethods, during: allFail, after: allSucceed },
  ],
  [
    'writes before the deadline and responds after it',
    {
      mode: 'hold-after',
      methods: allMethods,
      during: allFail,
      after: ['refused', 'refused', 'refused', 'granted', 'already-revoked'],
    },
  ],
]

let databases: readonly FreshDatabase[]
let instances: readonly Instance[]

beforeAll(async () => {
  const [sqlite] = await findDatabases()
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

describe.each(misbehaviours)('over a storage that %s, a service on every framework', (_, behaviour) => {
  const { mode, methods, during, after } = behaviour

  it('authenticates nobody, and works again afterwards without a lost session', async () => {
    const results = await onEveryFramework(async (instance) => {
      const watch = watchService(instance)
      const grant = await logIn(watch, 1)
      await instance.setGate(methods, mode)
      const meanwhile = await tryAll(watch, grant)
      await instance.setGate(methods, 'open')
      return [meanwhile, await tryAll(watch, grant), await watch.findViolations()]
    })
    expect(results).toEqual(frameworks.map(() => [during, after, []]))
  })

  it('accepts the same refresh token after a failed rotation, and returns one successor', async () => {
    const results = await onEveryFramework(async (instance) => {
      const watch = watchService(instance)
      const { recorder, endpoint } = watch
      const grant = await logIn(watch, 1)
      await instance.setGate(['rotate'], mode)
      const first = await recorder.refresh(endpoint, grant)
      await instance.setGate(['rotate'], 'open')
      const retries = [await recorder.refresh(endpoint, grant), await recorder.refresh(endpoint, grant)]
      const tokens = new Set(retries.map((retry) => retry.grant?.refreshToken))
      return [first.outcome.kind, retries.map(({ outcome }) => outcome.kind), tokens.size, await watch.findViolations()]
    })
    expect(results).toEqual(frameworks.map(() => ['failed', ['granted', 'granted'], 1, []]))
  })
})
