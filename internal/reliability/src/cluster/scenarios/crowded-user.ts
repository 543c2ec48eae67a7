import type { Grant } from '../../history/operation-log.js'
import type { Random } from '../../random.js'
import type { Fleet } from '../fleet.js'

/** How much is done. */
interface Crowd {
  readonly userId: number
  readonly clients: number
  /** Of each client. */
  readonly steps: number
}

/** The limit of sessions that a fleet needs for {@link crowdUser}. */
export const crowdedLimit = 3

/**
 * Lets clients and the application act on the sessions of one user at random instances at the same time, through every method of the
 * service. All clients share the tokens of all sessions. Resolves to how many sessions are listed behind a last login.
 */
export const crowdUser = async (fleet: Fleet, random: Random, crowd: Crowd): Promise<number> => {
  const { recorder, instances, store } = fleet
  const { userId } = crowd
  const grants: Grant[] = []
  const keep = ({ grant }: { readonly grant: Grant | undefined }): void => {
    if (grant !== undefined) grants.push(grant)
  }

  const open = async (): Promise<void> => {
    const door = random.pick(instances)
    const passwordChanges = fleet.passwords.changesOf(userId)
    keep(await (random.isOneIn(3) ? recorder.create(door, userId) : recorder.logIn(door, userId, { passwordChanges })))
  }

  const useOne = async (): Promise<void> => {
    const door = random.pick(instances)
    // The newest, mostly: the sessions of older tokens have ended.
    const grant = random.pick(grants.slice(-2 * crowdedLimit))
    switch (random.between(1, 10)) {
      case 1:
        await recorder.revoke(door, grant)
        return
      case 2:
        await recorder.revokeById(door, grant)
        return
      case 3:
      case 4:
      case 5:
        await recorder.visit(door, grant)
        return
      case 6:
        await recorder.validate(door, grant)
        return
      default:
        keep(await recorder.refresh(door, grant))
    }
  }

  const step = async (): Promise<void> => {
    const door = random.pick(instances)
    switch (random.between(1, 24)) {
      case 1:
        await recorder.actOnAll(door, userId, 'revoke-all')
        return
      case 2:
        await recorder.actOnAll(door, userId, 'purge')
        return
      case 3:
        await recorder.actOnAll(door, userId, 'list')
        return
      case 4:
        await recorder.changePassword(userId, () => fleet.passwords.change(userId))
        return
      default:
        await (grants.length === 0 || random.isOneIn(4) ? open() : useOne())
    }
  }

  const live = async (): Promise<void> => {
    for (let steps = 0; steps < crowd.steps; steps += 1) await step()
  }
  await Promise.all(Array.from({ length: crowd.clients }, live))
  await open()
  const [issuer] = (await store.storage.findByIds(grants.map(({ sessionId }) => sessionId))).map((one) => one.issuer)
  if (issuer === undefined) return 0
  return (await store.storage.listActive({ issuer, userId }, { now: Date.now(), limit: 100 })).length
}
