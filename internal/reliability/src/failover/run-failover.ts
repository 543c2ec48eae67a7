import type { Instance } from '../cluster/instance/start-instance.js'
import { withInstances } from '../cluster/instance/start-instance.js'
import type { Endpoint } from '../cluster/recorder.js'
import { untilRecovered } from '../faults/run-outage.js'
import { connectTimeoutMs, measureSlowdown, poolSize } from '../faults/stage.js'
import { startTraffic } from '../faults/traffic.js'
import { judgedBy, type Watch, watchService } from '../faults/watch.js'
import { checkHistory } from '../history/check-history.js'
import { describeViolation, type Violation } from '../history/violation.js'
import type { Progress } from '../scenario.js'
import type { Deployment, DeploymentKind } from './deployment.js'

/**
 * What a failover did to the users of a service under load. `recoveryMs` is the time from the
 * failure until the service had recovered.
 */
export type FailoverReport = Required<
  Pick<Progress, 'operations' | 'losses' | 'refusals' | 'recoveryMs' | 'violations'>
>

const visitors = 8
const idleTimeoutMs = 1_000

/** Lets a server of a new deployment fail while clients use a service, and waits for recovery. */
export const runFailover = async ({ open, loss }: DeploymentKind): Promise<FailoverReport> => {
  const deployment = await open()
  try {
    const slowdown = measureSlowdown()
    const storageTimeoutMs = idleTimeoutMs * slowdown
    const settings = deployment.storageUrls.map((storageUrl) => ({
      storageUrl,
      poolSize,
      connectTimeoutMs: connectTimeoutMs * slowdown,
      options: { storageTimeoutMs },
    }))
    return await withInstances(settings, async (instances) => {
      const watch = watchService(takingTurns(instances))
      const recoveryMs = await failUnderLoad(deployment, watch, storageTimeoutMs)
      return { recoveryMs, ...(await judge(watch, loss)) }
    })
  } finally {
    await deployment.close()
  }
}

/** Resolves to the time that the recovery took, in milliseconds. */
const failUnderLoad = async (deployment: Deployment, watch: Watch, storageTimeoutMs: number): Promise<number> => {
  const traffic = startTraffic(watch, { visitors, storageTimeoutMs })
  const run = async (): Promise<number> => {
    await traffic.untilDone(10 * visitors)
    await deployment.weaken?.(traffic)
    const failedAt = performance.now()
    await deployment.failOver()
    await untilRecovered(watch)
    return performance.now() - failedAt
  }
  // Also after a failure: the traffic would disturb the next test.
  return run().finally(traffic.finish)
}

const refusal = 'every refusal has a cause'
const lossRules: ReadonlySet<string> = new Set([
  refusal,
  'no session is used after its acknowledged end',
  'refresh tokens form one chain',
  'a replaced token is valid for its grace window only',
])

const judge = async (watch: Watch, loss: DeploymentKind['loss']): Promise<Omit<FailoverReport, 'recoveryMs'>> => {
  const all = await watch.findViolations()
  const history = watch.recorder.history()
  const broken = checkHistory(history, judgedBy)
  const lost = broken.filter(({ rule }) => lossRules.has(rule))
  return {
    operations: history.length,
    losses: countSessions(lost),
    refusals: countSessions(lost.filter(({ rule }) => rule === refusal)),
    violations: loss === 'never' ? all : broken.filter((violation) => !lost.includes(violation)).map(describeViolation),
  }
}

const countSessions = (violations: readonly Violation[]): number =>
  new Set(violations.flatMap(({ operations }) => operations.map(({ session }) => session))).size

/** Returns an endpoint that sends each request to the next instance. */
const takingTurns = (instances: readonly Instance[]): Endpoint => {
  const [first] = instances
  if (first === undefined) throw new RangeError('The deployment has no instance.')
  let turn = 0
  return {
    url: first.url,
    client: {
      close: () => {},
      send: (message) => {
        turn += 1
        return (instances[turn % instances.length] ?? first).client.send(message)
      },
    },
  }
}
