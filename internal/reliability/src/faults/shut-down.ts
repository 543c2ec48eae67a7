import type { ProgramEnding } from '@jwt-auth/test-support'
import { isListening } from '@jwt-auth/test-support'
import type { Instance } from '../cluster/instance/start-instance.js'
import { createRecorder } from '../cluster/recorder.js'
import type { Outcome } from '../history/operation.js'
import { until } from './until.js'

/** The end of a service that was stopped, and the outcomes of the requests in progress. */
export interface ShutDown {
  readonly visits: readonly Outcome['kind'][]
  readonly refreshes: readonly Outcome['kind'][]
  readonly ending: ProgramEnding
}

const timeoutMs = 60_000

/**
 * Sends `SIGTERM` while each user has a guarded request and a refresh in progress. These continue
 * after the service has stopped accepting connections.
 */
export const shutDown = async (instance: Instance, users: number): Promise<ShutDown> => {
  const recorder = createRecorder()
  const userIds = Array.from({ length: users }, (_, number) => number + 1)
  const logins = await Promise.all(userIds.map((userId) => recorder.logIn(instance, userId)))
  const grants = logins.flatMap(({ grant }) => grant ?? [])

  await instance.holdCalls('findByIds', 'rotate')
  const visits = grants.map((grant) => recorder.visit(instance, grant))
  const refreshes = grants.map((grant) => recorder.refresh(instance, grant))
  await instance.awaitHeld('findByIds', 1)
  await instance.awaitHeld('rotate', users)
  const ended = instance.stop()
  await until(
    'the service accepts no new connection',
    async () => !(await isListening(new URL(instance.url))),
    timeoutMs,
  )
  await instance.releaseCalls('findByIds', 'rotate')
  return {
    visits: (await Promise.all(visits)).map(({ kind }) => kind),
    refreshes: (await Promise.all(refreshes)).map(({ outcome }) => outcome.kind),
    ending: await ended,
  }
}
