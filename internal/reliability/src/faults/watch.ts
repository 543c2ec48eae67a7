import { createRecorder, type Door, type Recorder } from '../cluster/recorder.js'
import { checkHistory } from '../history/check-history.js'
import { describeViolation } from '../history/violation.js'
import { watchDoor } from './contract.js'
import { patientDoor } from './patient-door.js'
import { findResidue } from './residue.js'
import type { Stage } from './stage.js'

/** What watches a service through a fault. */
export interface Watch {
  readonly recorder: Recorder
  /** The service, with every failure compared with the contract. */
  readonly door: Door
  /** Notes what was not as it must be. */
  readonly complain: (violation: string) => void
  /** When all is over: what was noted, what the history shows, and what the fault has left behind. */
  readonly findViolations: () => Promise<readonly string[]>
}

// The default of `refreshGraceSeconds`; and a network that was silent delivers what it held back, up to ten seconds later.
const judgedBy = { graceMs: 30_000, lateEffectMs: 30_000 }

/** Begins to watch the service of a stage. */
export const watchStage = (stage: Stage): Watch => watchService(stage.instance, () => findResidue(stage))

/** Begins to watch a service; `listResidue` tells what a fault has left behind. */
export const watchService = (service: Door, listResidue: () => Promise<readonly string[]> = async () => []): Watch => {
  const complaints: string[] = []
  const complain = (violation: string): void => {
    complaints.push(violation)
  }
  const recorder = createRecorder()
  const door = watchDoor(service, complain)
  return {
    recorder,
    door,
    complain,
    findViolations: async () => {
      await recorder.readFinally(patientDoor(door))
      const broken = checkHistory(recorder.history(), judgedBy).map(describeViolation)
      return [...complaints, ...broken, ...(await listResidue())]
    },
  }
}
