/** The codes of the warnings of this package. */
export type WarningCode = 'JWT_AUTH_PROXY' | 'JWT_AUTH_MOUNT'

/** The page that explains each warning. */
const pages: Readonly<Record<WarningCode, string>> = {
  JWT_AUTH_PROXY:
    'https://github.com/jwt-auth/jwt-auth/blob/main/docs/guide/start.md#behind-a-proxy-nginx-a-load-balancer',
  JWT_AUTH_MOUNT: 'https://github.com/jwt-auth/jwt-auth/blob/main/docs/guide/start.md#mounting',
}

/** Emits a warning once per process and code, with a link to the page that explains it. */
export const warnOnce = (code: WarningCode, text: string): void => {
  // Registered by name, so that several copies of this package in one process warn once.
  const key = Symbol.for(`@jwt-auth/express.${code}`)
  if (Reflect.get(globalThis, key) === true) return
  Reflect.set(globalThis, key, true)
  process.emitWarning(`jwt-auth: ${text} See ${pages[code]}`, { code })
}
