import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const root = fileURLToPath(new URL('../../../../', import.meta.url))

/**
 * Builds packages of this workspace, so that plain Node can import what an application would install.
 *
 * @param names without their scope: `express`
 * @param mayBeOld whether an existing build is enough, however old it is
 */
export const buildPackages = async (names: readonly string[], mayBeOld: boolean): Promise<void> => {
  if (mayBeOld && names.every((name) => existsSync(join(root, 'packages', name, 'dist')))) return
  const filters = names.flatMap((name) => ['--filter', `@jwt-auth/${name}`])
  await promisify(execFile)(join(root, 'node_modules', '.bin', 'pnpm'), [...filters, 'run', 'build'], { cwd: root })
}
