import { EnvironmentError, parseEnvironment } from './environment.js'
import { type Host, startHost } from './host.js'
import { StartError } from './start-error.js'
import { describeStores, keepsNothing } from './stores.js'
import { describeUsage } from './usage.js'

const main = async (): Promise<void> => {
  const environment = parseEnvironment()
  const host = await startHost(environment)
  stopOnSignals(host)
  console.log(describeStores(environment.databaseUrl))
  if (environment.secret === undefined) {
    console.log('JWT_AUTH_SECRET is not set: the secret is random, and access tokens end with this process.')
    if (!keepsNothing(environment.databaseUrl)) console.log('Refresh tokens in the database stay valid.')
  }
  console.log(`listening on ${host.origin}`)
  console.log(describeUsage(host.origin + environment.basePath))
}

const stopOnSignals = (host: Host): void => {
  let isStopping = false
  const stop = (signal: string): void => {
    if (isStopping) return
    isStopping = true
    console.log(`${signal}: finishing requests in flight …`)
    host.stop().then((outcome) => {
      console.log(outcome === 'finished' ? 'stopped' : 'stopped, and aborted requests that did not finish in time')
      process.exit(0)
    }, fail)
  }
  process.on('SIGTERM', stop)
  process.on('SIGINT', stop)
}

const fail = (error: unknown): void => {
  const isExplained = error instanceof EnvironmentError || error instanceof StartError
  console.error(isExplained ? `host-app: ${error.message}` : error)
  process.exit(1)
}

main().catch(fail)
