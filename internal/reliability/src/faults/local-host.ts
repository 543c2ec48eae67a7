import { type AuthError, jwtAuth, type SessionStorage } from '@jwt-auth/express'
import type { Door } from '../history/recorder.js'
import { createHttpClient } from '../instances/http-client.js'
import { createInstanceListener } from '../instances/instance-listener.js'
import { listen } from '../instances/instance-server.js'
import type { FrameworkName } from '../instances/instance-settings.js'
import { createInstanceUsers } from '../instances/instance-users.js'

/** A service in this process, where a test has its storage at hand. */
export interface LocalHost extends Door {
  /** What `onError` heard, as an operator would log it. */
  readonly log: readonly string[]
  /** Finishes what is under way. The storage is the caller's. */
  readonly stop: () => Promise<void>
}

/** Starts a service over a storage. All of them share their keys. */
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
