import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const script = fileURLToPath(new URL('../../../../scripts/build-client.mjs', import.meta.url))

/** Builds the client that the page loads, unless the build is newer than the sources. */
export const buildClient = async (): Promise<void> => {
  await promisify(execFile)(process.execPath, [script])
}
