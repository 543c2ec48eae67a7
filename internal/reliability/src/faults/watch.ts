import type { HttpClient } from '@jwt-auth/test-support/http-client'
import { createRecorder, type Endpoint } from '../cluster/recorder.js'
import { checkHistory } from '../history/check-history.js'
import { describeViolation } from '../history/operation.js'
import { poolSize, type Stage } from './stage.js'
import { until } from './until.js'

/** Records what a service does during a fault, and judges it. */
export type Watch = ReturnType<typeof watchService>

/**
 * The settings by which the checker judges the history. The grace window is the default of
 * `refreshGraceSeconds`. A silent network can deliver a delayed statement ten seconds later. The
 * limit for late effects is longer than that.
 */
export const judgedBy = { graceMs: 30_000, lateEffectMs: 30_000 }

/** Starts to watch the service of a stage. */
export const watchStage = (stage: Stage): Watch => watchService(stage.instance, () => findResidue(stage))

/** Starts to watch a service. `listResidue` returns what a fault has left behind. */
export const watchService = (service: Endpoint, listResidue: () => Promise<readonly string[]> = async () => []) => {
  const reported: string[] = []
  const reportViolation = (violation: string): void => {
    reported.push(violation)
  }
  const recorder = createRecorder()
  const endpoint = reportLost(service, reportViolation)
  return {
    recorder,
    /**
     * The service. Every request that received no response is reported, unless the client aborted it.
     */
    endpoint,
    reportViolation,
    /**
     * Sends the final reads. Resolves to the reported violations, those of the history, and what the
     * fault has left behind.
     */
    findViolations: async (): Promise<readonly string[]> => {
      await recorder.readFinally(patientEndpoint(endpoint))
      const broken = checkHistory(recorder.history(), judgedBy).map(describeViolation)
      return [...reported, ...broken, ...(await listResidue())]
    },
  }
}

// The history has responses outside the contract. It cannot know whether the client aborted a
// request.
const reportLost = ({ url, client }: Endpoint, reportViolation: (violation: string) => void): Endpoint => ({
  url,
  client: {
    close: client.close,
    send: (method, path, message) =>
      client.send(method, path, message).catch((failure: unknown) => {
        if (message?.signal?.aborted !== true) reportViolation(`${path} received no response: ${String(failure)}`)
        throw failure
      }),
  },
})

// Shorter than the 30 s after which a pool closes idle connections, so that a connection outside
// the pool is found.
const limitMs = 20_000
// MariaDB updates its list of transactions only after a tenth of a second without queries of the
// list.
const intervalMs = 150

/**
 * Returns what a fault has left behind, one text each: busy connections, open transactions and
 * unhandled rejections.
 */
const findResidue = async (stage: Stage): Promise<readonly string[]> => {
  let residue: readonly string[] = []
  const isClean = async (): Promise<boolean> => {
    residue = await listResidue(stage)
    return residue.length === 0
  }
  await until('nothing is left', isClean, limitMs, intervalMs).catch(() => {})
  return residue
}

const listResidue = async ({ instance, probe, proxy }: Stage): Promise<readonly string[]> => {
  const [
    {
      pool: { used, pending },
      unhandledRejections,
    },
    openTransactions,
  ] = await Promise.all([instance.call.report(), probe.countOpenTransactions()])
  const connections = proxy.connections()
  return [
    ...(used + pending > 0 ? [`the pool has ${used} connections in use and ${pending} waiting`] : []),
    ...(connections > poolSize ? [`the service holds ${connections} connections`] : []),
    ...(openTransactions > 0 ? [`${openTransactions} transactions are open`] : []),
    ...unhandledRejections.map((rejection) => `unhandled rejection: ${rejection}`),
  ]
}

const maxTries = 20

/** Returns an endpoint for final reads: it repeats each request while storage is unavailable. */
const patientEndpoint = ({ url, client }: Endpoint): Endpoint => {
  const send: HttpClient['send'] = async (...request) => {
    let response = await client.send(...request)
    for (let tries = 1; response.status === 503 && tries < maxTries; tries += 1)
      response = await client.send(...request)
    return response
  }
  return { url, client: { ...client, send } }
}
