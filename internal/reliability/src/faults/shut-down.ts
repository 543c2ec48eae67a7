import { isListening } from '@jwt-auth/test-support'
import type { Instance, InstanceEnding } from '../cluster/instance/start-instance.js'
import { createRecorder } from '../cluster/recorder.js'
import type { Outcome } from '../history/operation.js'
import { until } from './until.js'

/** What became of a service that was told to leave, and of the requests that were under way. */
export interface ShutDown {
  readonly visits: readonly Outcome['kind'][]
  readonly refreshes: readonly Outcome['kind'][]
  readonly ending: InstanceEnding
}

const patienceMs = 60_000

/** Sends `SIGTERM` while each of many users has a request and a refresh half done; those go on when nobody new gets in. */
export const shutDown = async (instance: Instance, users: number): Promise<ShutDown> => {
  const recorder = createRecorder()
  const userIds = Array.from({ length: users }, (_, number) => number + 1)
  const logins = await Promise.all(userIds.map((userId) => recorder.logIn(instance, userId)))
  const grants = logins.flatMap(({ grant }) => grant ?? [])

  await instance.setGate(['findByIds', 'rotate'], 'hold-before')
  const visits = grants.map((grant) => recorder.visit(instance, grant))
  const refreshes = grants.map((grant) => recorder.refresh(instance, grant))
  await instance.awaitHeld('findByIds', 1)
  await instance.awaitHeld('rotate', users)
  const ended = instance.stop()
  await until('nobody new gets in', async () => !(await isListening(new URL(instance.url))), patienceMs)
  await instance.setGate(['findByIds', 'rotate'], 'open')
  return {
    visits: (await Promise.all(visits)).map(({ kind }) => kind),
    refreshes: (await Promise.all(refreshes)).map(({ outcome }) => outcome.kind),
    ending: await ended,
  }
}
