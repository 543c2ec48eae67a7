import { isLoopback } from './check-options.js'
import { type Finding, findProblem, unknown } from './finding.js'

const timeoutMs = 3_000

/** Checks that the issuer is served over HTTPS, with a certificate that clients accept. */
export const checkIssuer = async (issuer: string): Promise<Finding> => {
  if (!issuer.startsWith('https:')) {
    const isPlain = issuer.startsWith('http:') && !isLoopback(issuer)
    return findProblem('TLS', isPlain, 'the issuer has no https: others can read passwords and tokens on the way.')
  }
  try {
    await fetch(issuer, { method: 'HEAD', redirect: 'manual', signal: AbortSignal.timeout(timeoutMs) })
    return findProblem('TLS', false, '')
  } catch (error) {
    const cause = error instanceof Error ? (error.cause ?? error) : error
    const code = String(Object(cause).code ?? cause)
    return /CERT|SIGNED|ALTNAME|VERIFY/.test(code)
      ? findProblem('TLS', true, `clients do not accept the certificate of ${issuer} (${code}).`)
      : unknown('TLS', `${issuer} could not be reached (${code}).`)
  }
}
