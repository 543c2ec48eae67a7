import { accessSync, constants } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { delimiter, join } from 'node:path'

const debianPostgres = '/usr/lib/postgresql'

/** Returns the file of an installed program, `undefined` when none exists. Searches `PATH` and Debian's folders of servers. */
export const findProgram = async (name: string): Promise<string | undefined> => {
  const folders = [...(process.env['PATH'] ?? '').split(delimiter), '/usr/sbin', ...(await listPostgresFolders())]
  return folders.map((folder) => join(folder, name)).find(isExecutable)
}

const isExecutable = (file: string): boolean => {
  try {
    accessSync(file, constants.X_OK)
    return true
  } catch {
    return false
  }
}

/** Newest version first. */
const listPostgresFolders = async (): Promise<readonly string[]> => {
  const versions = await readdir(debianPostgres).catch(() => [])
  return versions.sort((a, b) => Number(b) - Number(a)).map((version) => join(debianPostgres, version, 'bin'))
}
