import { execFileSync } from 'node:child_process'
import { chown } from 'node:fs/promises'

/** A user of the machine. */
export interface SystemUser {
  readonly uid: number
  readonly gid: number
}

/**
 * Returns the user that a database server runs as when this process is root, since database servers refuse to run as root.
 * Returns `undefined` when this process is not root.
 */
export const findServerUser = (name: string): SystemUser | undefined =>
  process.getuid?.() === 0 ? { uid: readId('-u', name), gid: readId('-g', name) } : undefined

/** Makes a user the owner of a folder. Does nothing for `undefined`. */
export const giveTo = async (user: SystemUser | undefined, folder: string): Promise<void> => {
  if (user !== undefined) await chown(folder, user.uid, user.gid)
}

const readId = (which: '-u' | '-g', name: string): number =>
  Number(execFileSync('id', [which, name], { encoding: 'utf8' }).trim())
