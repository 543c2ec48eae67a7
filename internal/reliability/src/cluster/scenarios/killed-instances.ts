import type { Grant } from '../../history/operation-log.js'
import type { Random } from '../../random.js'
import type { Fleet } from '../fleet.js'
import type { Instance } from '../instance/start-instance.js'
import type { CommittingMethod } from '../instance/storage-gate.js'
import type { Endpoint, Recorder } from '../recorder.js'

const clients = 4
const maxVisits = 12
const committing: readonly CommittingMethod[] = ['create', 'rotate', 'end']

/**
 * Runs clients until one of the instances is killed, at a random moment or between a commit and its
 * response. The clients then complete their sessions at the other instances. Another instance takes
 * the place of the killed one.
 */
export const killUnderLoad = async (fleet: Fleet, random: Random): Promise<void> => {
  const { recorder, instances, replace } = fleet
  const position = random.between(0, instances.length - 1)
  const doomed = instances[position]
  if (doomed === undefined) throw new RangeError('The fleet has no instance.')
  let isKilled = false
  const context = { recorder, random, endpoints: () => instances, isFinished: () => isKilled }
  const running = Array.from({ length: clients }, (_, client) => runClient(context, client + 1))
  try {
    await (random.isOneIn(3) ? killAtAnyMoment(fleet, doomed, random) : killAfterCommit(doomed, random))
  } finally {
    isKilled = true
    await Promise.all(running)
  }
  await replace(position)
}

const killAfterCommit = async (doomed: Instance, random: Random): Promise<void> => {
  await doomed.dieAfter(random.pick(committing))
  await doomed.exited
}

/** Sends a random number of requests before the kill. */
const killAtAnyMoment = async ({ recorder }: Fleet, doomed: Instance, random: Random): Promise<void> => {
  const { grant } = await recorder.logIn(doomed, clients + 1)
  for (let left = random.between(0, maxVisits); left > 0 && grant !== undefined; left -= 1) {
    await recorder.visit(doomed, grant)
  }
  await doomed.kill()
}

/** What a client needs to run. */
interface ClientContext {
  readonly recorder: Recorder
  readonly random: Random
  /** Returns the instances that are running. */
  readonly endpoints: () => readonly Endpoint[]
  /** Returns whether the client must not start another session. */
  readonly isFinished: () => boolean
}

const stepsPerSession = 12
const maxTabs = 4

/**
 * Runs a client that logs in, sends requests, refreshes in several tabs concurrently, logs out, and
 * logs in again, each time at a random instance. After `isFinished` returns true, the client
 * completes its present session.
 */
const runClient = async (context: ClientContext, userId: number): Promise<void> => {
  const { recorder, random, endpoints, isFinished } = context
  while (!isFinished()) {
    const { grant } = await recorder.logIn(random.pick(endpoints()), userId)
    if (grant !== undefined) await useSession(context, grant)
  }
}

const useSession = async (context: ClientContext, first: Grant): Promise<void> => {
  const { random } = context
  let grant: Grant | undefined = first
  for (let steps = 0; steps < stepsPerSession && grant !== undefined; steps += 1) {
    grant = random.isOneIn(8) ? await logOut(context, grant) : await useOnce(context, grant)
  }
}

/** Sends a request, or refreshes. Resolves to the newest tokens. */
const useOnce = async ({ recorder, random, endpoints }: ClientContext, grant: Grant): Promise<Grant> => {
  const endpoint = random.pick(endpoints())
  switch (random.between(1, 4)) {
    case 1:
      await recorder.visit(endpoint, grant)
      return grant
    case 2:
      await recorder.validate(endpoint, grant)
      return grant
    default: {
      const tabs = Array.from({ length: random.between(1, maxTabs) }, () => random.pick(endpoints()))
      const results = await Promise.all(tabs.map((tab) => recorder.refresh(tab, grant)))
      return results.find((result) => result.grant !== undefined)?.grant ?? grant
    }
  }
}

/**
 * Logs out at two instances concurrently, and sends a request. Resolves to `undefined` when a
 * revocation was acknowledged.
 */
const logOut = async ({ recorder, random, endpoints }: ClientContext, grant: Grant): Promise<Grant | undefined> => {
  const tabs = [random.pick(endpoints()), random.pick(endpoints())]
  const outcomes = await Promise.all(tabs.map((tab) => recorder.revoke(tab, grant)))
  await recorder.visit(random.pick(endpoints()), grant)
  return outcomes.some(({ kind }) => kind === 'revoked' || kind === 'already-revoked') ? undefined : grant
}
