import type { AuthError, AuthEvent, TokenServiceOptions } from '@jwt-auth/core'
import { createServiceBinding, type HttpRequest, type System, withSystem } from '@jwt-auth/core/internal'
import { memoryStorage } from '@jwt-auth/storage-memory'
import { createTestSystem } from './test-clock.js'
import { ann, createTestDirectory } from './test-directory.js'

export const testSecret = 'p0Yk3sVd-1uQ7xWm_9ZrT2aLcE8hGfNb'
export const testIssuer = 'https://api.example.com'

export type TestService = ReturnType<typeof createTestService>

/** The options of a token service, and the clock, timers and randomness of several services. */
export interface TestServiceOptions extends Partial<TokenServiceOptions> {
  /** @default that of the result */
  readonly system?: Partial<System>
}

/**
 * Creates a token service on memory storage, whose clock and users the test controls and whose
 * events it receives. It purges only when the test asks for it.
 */
export const createTestService = ({ system: given, ...options }: TestServiceOptions = {}) => {
  const system = createTestSystem()
  const users = createTestDirectory()
  const storage = options.storage ?? memoryStorage({ quiet: true })
  const events: AuthEvent[] = []
  // The events of logins, refreshes and rejected requests, which most operations cause.
  const activity: AuthEvent[] = []
  const errors: AuthError[] = []
  const { service, report, admit } = createServiceBinding({
    secret: testSecret,
    issuer: testIssuer,
    users,
    ...withSystem(given ?? system),
    purgeIntervalSeconds: false,
    onEvent: (event) => (activityTypes.has(event.type) ? activity : events).push(event),
    onError: (error) => errors.push(error),
    ...options,
    storage,
  })
  /** Logs Ann in. */
  const login = () => service.login({ username: ann.nicename, password: ann.password })
  return { service, report, admit, system, users, storage, events, activity, errors, login }
}

const activityTypes: ReadonlySet<AuthEvent['type']> = new Set([
  'login_succeeded',
  'session_refreshed',
  'request_rejected',
])

/** Creates the request of a client with a bearer token. */
export const bearerRequest = (accessToken: string, address?: string): HttpRequest => ({
  authorization: [`Bearer ${accessToken}`],
  address,
  dpop: { proof: undefined, method: 'GET', path: '/' },
  source: undefined,
  route: 'GET /',
})
