import { optionError } from '../errors/option-error.js'
import { machineSystem, type System } from '../system.js'
import { readFunction } from './option-checks.js'

/** Reads the option `system`; what is left out is the machine's. A host's functions may be methods that need their object. */
export const readSystem = (given: Partial<System> | undefined): System => {
  if (given === undefined) return machineSystem
  if (typeof given !== 'object' || given === null) throw optionError('system', 'an object', given)
  const { now, randomBytes, startTimer } = given
  return {
    now: readFunction('system.now', now, machineSystem.now).bind(given),
    randomBytes: readFunction('system.randomBytes', randomBytes, machineSystem.randomBytes).bind(given),
    startTimer: readFunction('system.startTimer', startTimer, machineSystem.startTimer).bind(given),
  }
}
