import { findRecords } from '@jwt-auth/test-support/find-records'
import type { Grant } from '../../history/operation-log.js'
import type { Random } from '../../random.js'
import type { Fleet } from '../fleet.js'

/** The clients of a user. */
interface Crowd {
  readonly userId: number
  readonly clients: number
  /** Returns whether a client takes another step, given the number of its steps so far. */
  readonly mayContinue: (steps: number) => boolean
}

interface State {
  readonly fleet: Fleet
  readonly random: Random
  readonly userId: number
  /** All tokens that clients received. All clients share them. */
  readonly grants: Grant[]
}

const maxTabs = 4

/** The limit of sessions per user that a fleet needs for {@link crowdUser}. */
export const crowdedLimit = 3

/**
 * Lets clients and the application act on the sessions of one user concurrently, at random
 * instances, through every method of the service.
 */
export const actOnUser = async (
  fleet: Fleet,
  random: Random,
  { userId, clients, mayContinue }: Crowd,
): Promise<State> => {
  const state: State = { fleet, random, userId, grants: [] }
  const runOne = async (): Promise<void> => {
    for (let steps = 0; mayContinue(steps); steps += 1) await takeStep(state)
  }
  await Promise.all(Array.from({ length: clients }, runOne))
  return state
}

/** Does the same, and resolves to the number of active sessions after one more login. */
export const crowdUser = async (fleet: Fleet, random: Random, crowd: Crowd): Promise<number> => {
  const state = await actOnUser(fleet, random, crowd)
  await openSession(state)
  return countActive(state)
}

const takeStep = async (state: State): Promise<void> => {
  const { fleet, random, userId, grants } = state
  const { recorder, passwords } = fleet
  const endpoint = random.pick(fleet.instances)
  const choice = random.between(0, 23)
  const onAll = (['revoke-all', 'purge', 'list'] as const)[choice]
  if (onAll !== undefined) await recorder.actOnAll(endpoint, userId, onAll)
  else if (choice === 3) await recorder.changePassword(userId, () => passwords.change(userId))
  else await (grants.length === 0 || random.isOneIn(4) ? openSession(state) : useSession(state))
}

const openSession = async (state: State): Promise<void> => {
  const { fleet, random, userId } = state
  const { recorder, instances, passwords } = fleet
  const endpoint = random.pick(instances)
  const passwordChanges = passwords.changesOf(userId)
  const { grant } = await (random.isOneIn(3)
    ? recorder.create(endpoint, userId)
    : recorder.logIn(endpoint, userId, { passwordChanges }))
  keep(state, grant)
}

const useSession = async (state: State): Promise<void> => {
  const { fleet, random, grants } = state
  const { refresh, revoke, revokeById, validate, visit } = fleet.recorder
  const endpoint = random.pick(fleet.instances)
  // Recent tokens, since most sessions of older tokens have ended.
  const grant = random.pick(grants.slice(-2 * crowdedLimit))
  const use = [revoke, revokeById, visit, visit, visit, validate][random.between(0, 9)]
  await use?.(endpoint, grant)
  if (use !== undefined) return
  const tabs = Array.from({ length: random.between(1, maxTabs) }, () => random.pick(fleet.instances))
  const results = await Promise.all(tabs.map((tab) => refresh(tab, grant)))
  for (const result of results) keep(state, result.grant)
}

const keep = ({ grants }: State, grant: Grant | undefined): void => {
  if (grant !== undefined) grants.push(grant)
}

const countActive = async ({ fleet: { store }, userId, grants }: State): Promise<number> => {
  const records = await findRecords(
    store.storage,
    grants.map(({ sessionId }) => sessionId),
  )
  const [issuer] = records.map((record) => record.issuer)
  if (issuer === undefined) return 0
  return (await store.storage.list({ issuer, userId, activeAt: Date.now(), limit: 100 })).length
}
