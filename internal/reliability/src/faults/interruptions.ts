import { isListening } from '@jwt-auth/test-support'
import type { Instance } from '../cluster/instance/start-instance.js'
import { createRecorder, logInAll } from '../cluster/recorder.js'
import type { Random } from '../random.js'
import type { Fault } from './proxy/proxied-connection.js'
import type { Stage } from './stage.js'
import { type ChooseAbort, startTraffic } from './traffic.js'
import { until } from './until.js'
import { type Watch, watchStage } from './watch.js'

/** A moment at which a refresh loses its connection to the database. */
export interface LostConnection {
  readonly moment: string
  readonly at: 'request' | 'response'
  readonly of: 'lookup' | 'rotation'
}

/** All such moments, from the first byte that a refresh and the database exchange to the last. */
export const lostConnections: readonly LostConnection[] = [
  { moment: 'before its session is looked up', at: 'request', of: 'lookup' },
  { moment: 'after its session was looked up', at: 'response', of: 'lookup' },
  { moment: 'before its rotation is written', at: 'request', of: 'rotation' },
  { moment: 'after its rotation was written', at: 'response', of: 'rotation' },
]

/** For each store and each statement, a text that occurs only in that statement. */
const texts: Readonly<Record<Stage['name'], Readonly<Record<LostConnection['of'], string>>>> = {
  PostgreSQL: { lookup: 'where selector_hash', rotation: 'set verifier_hash' },
  MariaDB: { lookup: 'where selector_hash', rotation: 'set verifier_hash' },
  Redis: { lookup: ':selector:', rotation: 'recentVerifiers' },
}

/** The outcomes of a refresh that lost its connection, when nothing was lost. */
export const survived = ['failed', 'granted', 'repeated', 'authenticated']

/**
 * Refreshes one session several times, and loses the connection at the same moment each time.
 * Resolves to the outcomes of each time: of the refresh, of two retries with the same refresh token
 * (`repeated` when the second one returned the token of the first), and of a guarded request.
 */
export const loseConnections = async (
  { name, proxy }: Stage,
  { endpoint, recorder }: Watch,
  { lost, times }: { readonly lost: LostConnection; readonly times: number },
): Promise<readonly (readonly string[])[]> => {
  const fault: Fault = { kind: 'cut', at: lost.at, text: texts[name][lost.of] }
  // After this refresh the server has loaded what it loads once, such as a script.
  const { grant: login } = await recorder.logIn(endpoint, 1)
  let grant = login && (await recorder.refresh(endpoint, login)).grant
  const refreshes: string[][] = []
  while (grant !== undefined && refreshes.length < times) {
    await proxy.setFault(fault)
    const first = await recorder.refresh(endpoint, grant)
    const retry = await recorder.refresh(endpoint, grant)
    const again = await recorder.refresh(endpoint, grant)
    const visit = retry.grant && (await recorder.visit(endpoint, retry.grant))
    const isRepeated = retry.grant?.refreshToken === again.grant?.refreshToken
    const second = isRepeated ? 'repeated' : again.outcome.kind
    refreshes.push([first.outcome.kind, retry.outcome.kind, second, visit?.kind ?? 'not sent'])
    grant = retry.grant
  }
  return refreshes
}

const visitors = 8
// The moments range from before the request has arrived until after its response.
const maxDelayMs = 12

/**
 * Aborts one of five requests at a random moment, until so many others have received their
 * response. Resolves to the numbers of requests that were aborted before their response arrived,
 * and of others.
 */
export const runLeavingClients = async (
  stage: Stage,
  { random, requests }: { readonly random: Random; readonly requests: number },
) => {
  const watch = watchStage(stage)
  const chooseAbort: ChooseAbort = () =>
    random.isOneIn(5) ? AbortSignal.timeout(random.between(0, maxDelayMs)) : undefined
  const traffic = startTraffic(watch, { visitors, callTimeoutMs: stage.callTimeoutMs, chooseAbort })
  // Also after a failure: the traffic must not disturb the next test.
  await traffic.untilDone(requests).finally(traffic.finish)
  const aborted = traffic.records.filter(({ outcome }) => outcome === 'lost').length
  return { completed: traffic.records.length - aborted, aborted, violations: await watch.findViolations() }
}

const timeoutMs = 60_000

/**
 * Sends `SIGTERM` while each user has a guarded request and a refresh in progress. These continue
 * after the service has stopped accepting connections. Resolves to the outcomes of these requests
 * and the end of the service.
 */
export const shutDown = async (instance: Instance, users: number) => {
  const recorder = createRecorder()
  const userIds = Array.from({ length: users }, (_, number) => number + 1)
  const grants = await logInAll(recorder, instance, userIds)

  await instance.call.holdCalls('findByIds', 'rotate')
  const visits = grants.map((grant) => recorder.visit(instance, grant))
  const refreshes = grants.map((grant) => recorder.refresh(instance, grant))
  await instance.call.awaitHeld('findByIds', 1)
  await instance.call.awaitHeld('rotate', users)
  const ended = instance.stop()
  await until(
    'the service accepts no new connection',
    async () => !(await isListening(new URL(instance.url))),
    timeoutMs,
  )
  await instance.call.releaseCalls('findByIds', 'rotate')
  return {
    visits: (await Promise.all(visits)).map(({ kind }) => kind),
    refreshes: (await Promise.all(refreshes)).map(({ outcome }) => outcome.kind),
    ending: await ended,
  }
}
