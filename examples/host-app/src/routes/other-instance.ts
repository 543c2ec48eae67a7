import { Router } from 'express'
import { HostError } from '../failures.js'

const longestCallMs = 5_000

/**
 * Creates `POST /revoke`, which ends the session of the caller on another instance of the service, as a load balancer would if it sent
 * the logout there. Mount it behind the guard.
 */
export const otherInstanceRoutes = (otherInstance: string | undefined): Router => {
  const router = Router()

  router.post('/revoke', async (req, res) => {
    if (otherInstance === undefined) {
      throw new HostError(404, 'host_app_no_other_instance', 'OTHER_INSTANCE is not set.')
    }
    const { status, body } = await revokeOn(otherInstance, req.get('authorization') ?? '')
    res.status(status).json(body)
  })

  return router
}

const revokeOn = async (instance: string, authorization: string): Promise<{ status: number; body: unknown }> => {
  try {
    const response = await fetch(`${instance}/jwt-auth/v1/token/revoke`, {
      method: 'POST',
      headers: { Authorization: authorization },
      redirect: 'error',
      signal: AbortSignal.timeout(longestCallMs),
    })
    return { status: response.status, body: await response.json() }
  } catch (cause) {
    throw new HostError(502, 'host_app_other_instance_failed', 'The other instance did not respond.', { cause })
  }
}
