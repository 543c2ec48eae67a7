import type { CorsOptions } from 'cors'

/** Returns the options of CORS that docs/browser-apps.md shows in the section "Subdomains". */
export const toDocumentedCors = (pageOrigin: string): CorsOptions => ({
  origin: pageOrigin,
  credentials: true,
  allowedHeaders: ['Authorization', 'Content-Type', 'X-JWT-Auth-Transport'],
  exposedHeaders: ['Retry-After', 'WWW-Authenticate'],
})
