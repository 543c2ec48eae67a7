import { warnOnce as warnOnceOf } from '@jwt-auth/core/adapter'

const guide = 'https://github.com/jwt-auth/jwt-auth/blob/main/docs/guide/start.md'

/** The page that explains each warning of this package. */
const pages = {
  JWT_AUTH_PROXY: `${guide}#behind-a-proxy-nginx-a-load-balancer`,
  JWT_AUTH_MOUNT: `${guide}#mounting`,
} as const

/** Emits a warning once per process and code, with a link to the page that explains it. */
export const warnOnce = (code: keyof typeof pages, text: string): void => warnOnceOf(code, `${text} See ${pages[code]}`)
