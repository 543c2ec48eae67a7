import { inspect } from 'node:util'
import type { SessionRecord } from '@jwt-auth/core'
import fc from 'fast-check'
import { type Action, clockLeads, letAllHappen, type Stage, schedules, settle } from './actions.js'
import { createClients } from './clients.js'
import { endOf, type ModelSession, modelPolicy } from './reference-session.js'
import { createRunningOperations } from './running-operations.js'
import type { Subject, WatchedSession, WorldSettings } from './world.js'

export interface SearchOptions {
  /** How many schedules are tried. */
  readonly runs: number
  /** The longest schedule, in happenings. @default 70 */
  readonly length?: number
  /** Where a search begins that finds the same again. */
  readonly seed?: number
  /** Whether a counterexample is made as short as it goes. @default true */
  readonly isShortened?: boolean
  /** The grace window of replaced refresh tokens; 0 is none. @default 30 */
  readonly graceSeconds?: number
}

/** A promise that was broken, and how. */
export interface Counterexample {
  readonly seed: number
  readonly violation: string
  /** What happened, step by step. */
  readonly steps: readonly string[]
}

/**
 * Tries random schedules of clients, hosts, crashes and faults over a service and its storage, every order of what storage
 * and users are asked and answer among them, and compares with the model. `undefined` when nothing was found.
 */
export const findCounterexample = async (
  subject: Subject,
  { runs, length = 70, seed, isShortened = true, graceSeconds = modelPolicy.refreshGraceSeconds }: SearchOptions,
): Promise<Counterexample | undefined> => {
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
    // Reporting the whole schedule is ours: fast-check would print functions.
    verbose: 0,
  })
  return failed && found !== undefined ? { seed: usedSeed, ...found } : undefined
}

/** A schedule that could not be played is a fault of the model, and must not pass for a good one. */
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
  for (const happen of [letAllHappen, ...actions, letAllHappen]) {
    await happen(stage)
    await settle()
    stage.forgetAbandoned()
    if (isBroken()) break
  }
  if (!isBroken()) await compareAtRest(stage)
  const violation = world.violation()
  return violation === undefined ? undefined : { violation, steps: world.steps }
}

/** Once nothing is under way any more, what is stored is what the model says. */
const compareAtRest = async ({ world, unanswered }: Stage): Promise<void> => {
  for (const title of unanswered()) world.accuse(`${title}: it is never answered`)
  for (const session of world.sessions) {
    const [record] = await world.storage.findByIds([session.id])
    if (!isAsStored(session, record, world.latestClock()))
      world.accuse(`what is stored of ${session.name} has no explanation`)
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

/** The counterexample as a list one can read. */
export const formatCounterexample = ({ seed, violation, steps }: Counterexample): string =>
  [`seed ${seed}: ${violation}`, ...steps.map((step, position) => `${String(position + 1).padStart(4)}. ${step}`)].join(
    '\n',
  )
