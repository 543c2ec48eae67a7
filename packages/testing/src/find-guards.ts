import { type GuardMark, readGuardOptions } from './express-marks.js'
import type { Endpoint, Step } from './find-endpoints.js'
import { type Comparison, compareToMount, formatPath } from './route-path.js'

/** A guard before the handler of an endpoint. */
export interface FoundGuard {
  readonly step: Step
  readonly options: GuardMark
  /** Why some requests may reach the handler without the guard. `undefined` if none can. */
  readonly doubt: string | undefined
}

/** Finds the guards before the handler of an endpoint. */
export const findGuards = (endpoint: Endpoint): readonly FoundGuard[] =>
  listReachedSteps(endpoint).flatMap((step) => {
    const options = readGuardOptions(step.handle)
    return options === undefined ? [] : { step, options, doubt: findDoubt(endpoint, step) }
  })

/** Returns the functions that requests for an endpoint may run, and at the end its handler. */
export const listReachedSteps = (endpoint: Endpoint): readonly Step[] =>
  endpoint.steps.filter((step) => compareToStep(endpoint, step) !== 'elsewhere')

const findDoubt = (endpoint: Endpoint, guard: Step): string | undefined => {
  const { handler } = endpoint
  const [container] = guard.containers
  // There, `next('route')` and `next('router')` may skip the guard.
  if (!handler.containers.some((one) => one === container)) return 'the guard is in another route or router'
  if (compareToStep(endpoint, guard) === 'unclear')
    return `the guard at ${formatPath(guard.path)} may not match all URLs`
  const beside = listReachedSteps(endpoint).filter(({ containers: [own] }) => own === container)
  const isShut = beside.slice(0, beside.indexOf(guard)).some(({ isExact, handle }) => isExact && handle.length < 3)
  if (isShut) return 'a function without `next` is before the guard'
  // After an error, Express skips all functions up to an error handler, which may call `next()`.
  const isSkipped = beside.slice(beside.indexOf(guard)).some(({ handle }) => handle.length === 4)
  return isSkipped ? 'an error handler is between the guard and the handler' : undefined
}

/**
 * Compares the path of an endpoint with that of a function. A function of a route does not run
 * below its path.
 */
const compareToStep = ({ method, path }: Endpoint, step: Step): Comparison => {
  const comparison = compareToMount(path, step.path)
  const hasPathsBelow = method === 'USE' || path.length > step.path.length
  return step.isExact && hasPathsBelow && comparison === 'below' ? 'elsewhere' : comparison
}
