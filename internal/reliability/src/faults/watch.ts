import { createRecorder, type Endpoint, type Recorder } from '../cluster/recorder.js'
import { checkHistory } from '../history/check-history.js'
import { describeViolation } from '../history/violation.js'
import { patientEndpoint } from './patient-endpoint.js'
import { findResidue } from './residue.js'
import type { Stage } from './stage.js'

/** Records what a service does during a fault, and judges it. */
export interface Watch {
  readonly recorder: Recorder
  /** The service. Every request that received no response is reported, unless the client aborted it. */
  readonly endpoint: Endpoint
  readonly reportViolation: (violation: string) => void
  /** Sends the final reads. Resolves to the reported violations, those of the history, and what the fault has left behind. */
  readonly findViolations: () => Promise<readonly string[]>
}

// The default of `refreshGraceSeconds`. A silent network can deliver a delayed statement ten seconds later. The limit for late
// effects is longer than that.
const judgedBy = { graceMs: 30_000, lateEffectMs: 30_000 }

/** Starts to watch the service of a stage. */
export const watchStage = (stage: Stage): Watch => watchService(stage.instance, () => findResidue(stage))

/** Starts to watch a service. `listResidue` returns what a fault has left behind. */
export const watchService = (
  service: Endpoint,
  listResidue: () => Promise<readonly string[]> = async () => [],
): Watch => {
  const reported: string[] = []
  const reportViolation = (violation: string): void => {
    reported.push(violation)
  }
  const recorder = createRecorder()
  const endpoint = reportLost(service, reportViolation)
  return {
    recorder,
    endpoint,
    reportViolation,
    findViolations: async () => {
      await recorder.readFinally(patientEndpoint(endpoint))
      const broken = checkHistory(recorder.history(), judgedBy).map(describeViolation)
      return [...reported, ...broken, ...(await listResidue())]
    },
  }
}

// The history has responses outside the contract. It cannot know whether the client aborted a request.
const reportLost = ({ url, client }: Endpoint, reportViolation: Watch['reportViolation']): Endpoint => ({
  url,
  client: {
    close: client.close,
    send: (message) =>
      client.send(message).catch((failure: unknown) => {
        if (message.signal?.aborted !== true)
          reportViolation(`${message.path} received no response: ${String(failure)}`)
        throw failure
      }),
  },
})
