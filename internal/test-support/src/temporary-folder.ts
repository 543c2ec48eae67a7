import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const folders = new Set<string>()
process.once('exit', () => folders.forEach(removeFolder))

/** Creates an empty folder, which is removed at the latest when this process exits. */
export const createFolder = (parent = tmpdir()): string => {
  const folder = mkdtempSync(join(parent, 'jwt-auth-'))
  folders.add(folder)
  return folder
}

/**
 * Removes a folder. A server that was killed before may still end.
 *
 * The loader of CommonJS modules leaves links unresolved while the last synchronous `stat` of the
 * process was that of a socket, here of a server in the folder: the second `stat` replaces it.
 */
export const removeFolder = (folder: string): void => {
  rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 })
  statSync(tmpdir())
  folders.delete(folder)
}
