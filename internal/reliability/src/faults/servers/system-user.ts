import { execFileSync } from 'node:child_process'
import { chown } from 'node:fs/promises'

/** A user of the machine. */
export interface SystemUser {
  readonly uid: number
  readonly gid: number
}

/**
 * Whom a server runs as: database servers refuse to be root, so that root starts them as the user their package made.
 * `undefined` where this process is not root and they run as its own user.
 */
export const findServerUser = (name: string): SystemUser | undefined =>
  process.getuid?.() === 0 ? { uid: readId('-u', name), gid: readId('-g', name) } : undefined

/** Makes a user the owner of a folder; nothing for `undefined`. */
export const giveTo = async (user: SystemUser | undefined, folder: string): Promise<void> => {
  if (user !== undefined) await chown(folder, user.uid, user.gid)
}

const readId = (which: '-u' | '-g', name: string): number =>
  Number(execFileSync('id', [which, name], { encoding: 'utf8' }).trim())
