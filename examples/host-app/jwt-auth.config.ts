import type { CliConfig } from '@jwt-auth/cli'
import { parseEnvironment } from './src/environment.js'
import { toAuthOptions } from './src/host.js'
import { openStores } from './src/stores.js'

/** The configuration of the command line of jwt-auth: `npx @jwt-auth/cli doctor` in this folder. */
export default async (): Promise<CliConfig> => {
  const environment = parseEnvironment()
  const stores = await openStores(environment)
  const { inspection, close } = stores
  return { options: toAuthOptions(stores, environment), ...inspection, close }
}
