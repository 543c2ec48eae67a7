import { withOpened } from '@jwt-auth/test-support'
import { type Instance, instanceAt, openInstances } from '../cluster/instance/start-instance.js'
import type { Endpoint } from '../cluster/recorder.js'
import { untilRecovered } from '../faults/run-outage.js'
import { connectTimeoutMs, measureSlowdown, poolSize, toTimeoutMs } from '../faults/stage.js'
import { startTraffic } from '../faults/traffic.js'
import { judgedBy, type Watch, watchService } from '../faults/watch.js'
import { checkHistory } from '../history/check-history.js'
import { describeViolation, type Violation } from '../history/operation.js'
import type { Deployment, DeploymentKind, Load } from './deployment.js'
import { galeraDeployment } from './deployments/galera.js'
import { pgbouncerDeployment, postgresDeployments } from './deployments/postgresql.js'
import { clusterDeployments, sentinelDeployment } from './deployments/redis.js'

/** All kinds of deployments. */
export const deploymentKinds: readonly DeploymentKind[] = [
  ...postgresDeployments,
  pgbouncerDeployment,
  galeraDeployment,
  ...clusterDeployments,
  sentinelDeployment,
]

const visitors = 8

/**
 * Lets a server of a new deployment fail while clients use a service, and waits for recovery.
 * `losses` counts the sessions that lost an acknowledged write, and `refusals` those of them that
 * were refused. `recoveryMs` is the time from the failure until the service had recovered.
 */
export const runFailover = ({ open, loss }: DeploymentKind) =>
  withOpened(open(), (deployment) => {
    const slowdown = measureSlowdown()
    const callTimeoutMs = toTimeoutMs(deployment.callTimeoutMs ?? 1_000, slowdown)
    const settings = deployment.storageUrls.map((storageUrl) => ({
      storageUrl,
      poolSize,
      connectTimeoutMs: connectTimeoutMs * slowdown,
      options: { callTimeoutMs },
    }))
    return withOpened(openInstances(settings), async ({ instances }) => {
      const watch = watchService(takingTurns(instances))
      const traffic = startTraffic(watch, { visitors, callTimeoutMs })
      // Also after a failure: the traffic would disturb the next test.
      const recoveryMs = await failUnderLoad(deployment, watch, { instances, traffic }).finally(traffic.finish)
      return { recoveryMs, ...(await judge(watch, loss)) }
    })
  })

/** Resolves to the time from the failure until the service has recovered, in milliseconds. */
const failUnderLoad = async (
  { beforeFailure, failOver }: Deployment,
  watch: Watch,
  { instances, traffic }: Omit<Load, 'recorder'>,
): Promise<number> => {
  await traffic.untilDone(10 * visitors)
  await beforeFailure?.({ instances, traffic, recorder: watch.recorder })
  const failedAt = performance.now()
  await failOver()
  await untilRecovered(watch)
  return performance.now() - failedAt
}

const refusal = 'every refusal has a cause'
const lossRules: ReadonlySet<string> = new Set([
  refusal,
  'no session is used after its acknowledged end',
  'refresh tokens form one chain',
  'a replaced token is valid for its grace window only',
])

// A revocation responds 404 for a session whose login was lost.
const isLoss = ({ rule, operations }: Violation): boolean =>
  lossRules.has(rule) ||
  operations.every(
    ({ outcome }) => outcome.kind === 'unexpected' && outcome.detail.includes('jwt_auth_token_not_found'),
  )

const judge = async (watch: Watch, loss: DeploymentKind['loss']) => {
  const all = await watch.findViolations()
  const history = watch.recorder.history()
  const broken = checkHistory(history, judgedBy)
  const lost = broken.filter(isLoss)
  return {
    operations: history.length,
    losses: countSessions(lost),
    refusals: countSessions(lost.filter(({ rule }) => rule === refusal)),
    violations: loss === 'never' ? all : broken.filter((violation) => !isLoss(violation)).map(describeViolation),
  }
}

const countSessions = (violations: readonly Violation[]): number =>
  new Set(violations.flatMap(({ operations }) => operations.map(({ session }) => session))).size

/** Returns an endpoint that sends each request to the next instance. */
const takingTurns = (instances: readonly Instance[]): Endpoint => {
  let turn = 0
  return {
    url: instanceAt(instances, 0).url,
    client: {
      close: () => {},
      send: (...request) => {
        turn += 1
        return instanceAt(instances, turn).client.send(...request)
      },
    },
  }
}
