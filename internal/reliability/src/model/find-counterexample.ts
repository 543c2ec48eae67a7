import { inspect } from 'node:util'
import type { SessionRecord } from '@jwt-auth/core/adapter'
import { findRecord } from '@jwt-auth/test-support/find-records'
import { createTestService } from '@jwt-auth/test-support/test-service'
import fc from 'fast-check'
import { type Action, clockLeads, finishAllCalls, type Stage, schedules, settle } from './actions.js'
import { createClients } from './clients.js'
import type { Subject } from './model-instance.js'
import { endOf, type ModelSession, modelPolicy } from './reference-session.js'
import { createRunningOperations } from './running-operations.js'
import type { WatchedSession, WorldSettings } from './world.js'

/** How to search. */
export interface SearchOptions {
  /** How many schedules to try. */
  readonly runs: number
  /** The length of the longest schedule, in events. @default 70 */
  readonly length?: number
  /** Determines the schedules. @default another seed each time */
  readonly seed?: number
  /** Whether to shorten a counterexample. @default true */
  readonly isShortened?: boolean
  /** The grace window of replaced refresh tokens. 0 stands for none. @default 30 */
  readonly graceSeconds?: number
}

/** A schedule that breaks a promise. */
export interface Counterexample {
  readonly seed: number
  readonly violation: string
  /** Everything that happened, in order. */
  readonly steps: readonly string[]
}

/**
 * Tries random schedules of clients, application, crashes and faults, in which the calls to storage
 * and users happen in any order, and compares each result with the model. Resolves to `undefined`
 * when it finds no broken promise.
 */
export const findCounterexample = async (
  subject: Subject,
  { runs, length = 70, seed, isShortened = true, graceSeconds = modelPolicy.refreshGraceSeconds }: SearchOptions,
): Promise<Counterexample | undefined> => {
  // The first signature of the process loads jsonwebtoken. That takes longer than a turn.
  await createTestService().login()
  let found: Omit<Counterexample, 'seed'> | undefined
  const property = fc.asyncProperty(clockLeads, schedules(length), async (clockLeadMs, actions) => {
    const settings = { refreshGraceSeconds: graceSeconds, clockLeadMs }
    const broken = await play(subject, actions, settings).catch(toBrokenModel)
    found = broken ?? found
    return broken === undefined
  })
  const { failed, seed: usedSeed } = await fc.check(property, {
    numRuns: runs,
    endOnFailure: !isShortened,
    ...(seed === undefined ? {} : { seed }),
    // `formatCounterexample` prints the schedule. fast-check would print functions.
    verbose: 0,
  })
  return failed && found !== undefined ? { seed: usedSeed, ...found } : undefined
}

// A schedule that cannot be played is a bug of the model, and must not count as a success.
const toBrokenModel = (error: unknown): Omit<Counterexample, 'seed'> => ({
  violation: `the schedule could not be played: ${inspect(error)}`,
  steps: [],
})

const play = async (
  subject: Subject,
  actions: readonly Action[],
  settings: WorldSettings,
): Promise<Omit<Counterexample, 'seed'> | undefined> => {
  const operations = await createRunningOperations(subject, settings)
  const stage: Stage = { ...operations, clients: createClients(operations) }
  const { world } = stage
  const isBroken = (): boolean => world.violation() !== undefined
  stage.clients.logIn('A', 1, 1)
  for (const act of [finishAllCalls, ...actions, finishAllCalls]) {
    await act(stage)
    await settle()
    stage.forgetAbandoned()
    if (isBroken()) break
  }
  if (!isBroken()) await compareAtRest(stage)
  const violation = world.violation()
  return violation === undefined ? undefined : { violation, steps: world.steps }
}

/** Compares the stored sessions with the model when no operation is in progress any more. */
const compareAtRest = async ({ world, unsettled }: Stage): Promise<void> => {
  for (const title of unsettled()) world.reportViolation(`${title}: it never settles`)
  for (const session of world.sessions) {
    const record = await findRecord(world.storage, session.id)
    if (!isAsStored(session, record, world.clocks.latest()))
      world.reportViolation(`nothing that may have happened to ${session.name} explains what is stored`)
  }
}

const dayMs = 24 * 3_600_000

const isAsStored = ({ possible }: WatchedSession, record: SessionRecord | undefined, now: number): boolean =>
  possible.admits((session) =>
    record === undefined ? session.isEnded || endOf(session) + dayMs <= now : isAlike(session, record),
  )

const isAlike = (session: ModelSession, record: SessionRecord): boolean =>
  session.isEnded === (record.endedAt !== null) &&
  session.idleEnd === record.idleExpiresAt &&
  String(session.version) === record.credentialVersion &&
  (session.replacedAt.at(-1) ?? record.createdAt) === record.rotatedAt

/** Formats a counterexample as a list. */
export const formatCounterexample = ({ seed, violation, steps }: Counterexample): string =>
  [`seed ${seed}: ${violation}`, ...steps.map((step, position) => `${String(position + 1).padStart(4)}. ${step}`)].join(
    '\n',
  )
