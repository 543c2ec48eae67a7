/** When a rotation meets its deadlock. A lookup takes no lock: none can meet one as a refresh begins. */
export type DeadlockMoment = 'in the middle' | 'at its commit'

/** A transaction of somebody else that deadlocks with rotations, and is never the one that is given up. */
export interface DeadlockTrap {
  readonly moments: readonly DeadlockMoment[]
  /** From now on each rotation takes a second lock, as a trigger of the host's own may make it. */
  readonly set: (moment: DeadlockMoment) => Promise<void>
  /** From now on the database gives up every rotation, as if one deadlock followed the other. */
  readonly setForGood: () => Promise<void>
  readonly remove: () => Promise<void>
  /** Lets a session's rotation and the other transaction wait for each other until the database gives the rotation up. */
  readonly spring: <T>(sessionId: string, rotate: () => Promise<T>) => Promise<T>
  /** How many deadlocks there were since the trap was set. */
  readonly countDeadlocks: () => Promise<number>
}
