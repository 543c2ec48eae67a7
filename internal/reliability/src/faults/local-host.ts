import { type AuthError, jwtAuth, type SessionStorage } from '@jwt-auth/express'
import { createHttpClient } from '@jwt-auth/test-support/http-client'
import { createInstanceListener, listen } from '../cluster/instance/instance-server.js'
import type { FrameworkName } from '../cluster/instance/instance-settings.js'
import { createInstanceUsers } from '../cluster/instance/instance-users.js'
import type { Endpoint } from '../cluster/recorder.js'

/** A service in this process, over a storage of the test. */
export interface LocalHost extends Endpoint {
  /** The code and the cause of each error that `onError` received. */
  readonly log: readonly string[]
  /** Finishes the requests in progress. Does not close the storage. */
  readonly stop: () => Promise<void>
}

/** Starts a service over a storage. All services share one secret. */
export const startLocalHost = async (storage: SessionStorage, framework: FrameworkName): Promise<LocalHost> => {
  const log: string[] = []
  const auth = jwtAuth({
    secret: 'vT4-kQ9z_Lm2Xr7Yw0Hb5Nc8Jd1Gf6Ps3Ea',
    issuer: 'https://reliability.example',
    users: createInstanceUsers(),
    storage,
    onError: (error) => log.push(describe(error)),
  })
  const { url, stop } = await listen(await createInstanceListener(auth, framework))
  const client = createHttpClient(url)
  return {
    url,
    client,
    log,
    stop: async () => {
      client.close()
      await stop()
      await auth.close()
    },
  }
}

const describe = ({ code, cause }: AuthError): string =>
  `${code}: ${String(cause instanceof Error ? cause.message : cause)}`
