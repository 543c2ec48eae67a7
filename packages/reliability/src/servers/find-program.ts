import { existsSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { delimiter, join } from 'node:path'

const debianPostgres = '/usr/lib/postgresql'

/** The file of an installed program; `undefined` when there is none. Looks where Debian puts servers too. */
export const findProgram = async (name: string): Promise<string | undefined> => {
  const folders = [...(process.env['PATH'] ?? '').split(delimiter), '/usr/sbin', ...(await listPostgresFolders())]
  return folders.map((folder) => join(folder, name)).find((file) => existsSync(file))
}

/** Newest version first. */
const listPostgresFolders = async (): Promise<readonly string[]> => {
  const versions = await readdir(debianPostgres).catch(() => [])
  return versions.sort((a, b) => Number(b) - Number(a)).map((version) => join(debianPostgres, version, 'bin'))
}
