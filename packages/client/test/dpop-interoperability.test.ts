import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import express from 'express'
import { calculateJwkThumbprint, EmbeddedJWK, type JWTPayload, jwtVerify, SignJWT } from 'jose'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createAuthClient } from '../src/auth-client.js'
import { dpop } from '../src/dpop.js'
import { keepKeysInMemory } from './support/test-browser.js'
import { ada, password } from './support/test-server.js'

// Its types declare another `req.auth` than those of @jwt-auth/express.
const { auth: guard } = createRequire(import.meta.url)('express-oauth2-jwt-bearer')

const issuer = 'https://api.example.com'
const audience = 'https://reports.example.com'
const secret = 'a secret of thirty-two bytes and more'
const nonce = `${Math.floor(Date.now() / 1_000)}.nonce`

interface Proof {
  readonly payload: JWTPayload
  readonly thumbprint: string
}

/** Checks a proof with jose, by section 4.3 of RFC 9449. */
const verifyProof = async (proof: string | undefined): Promise<Proof> => {
  const { payload, protectedHeader } = await jwtVerify(proof ?? '', EmbeddedJWK, {
    typ: 'dpop+jwt',
    algorithms: ['ES256'],
    maxTokenAge: 60,
    requiredClaims: ['jti', 'htm', 'htu', 'iat'],
  })
  expect(Object.keys(protectedHeader).sort()).toEqual(['alg', 'jwk', 'typ'])
  expect(Object.keys(protectedHeader.jwk ?? {}).sort()).toEqual(['crv', 'kty', 'x', 'y'])
  return { payload, thumbprint: await calculateJwkThumbprint(protectedHeader.jwk ?? {}) }
}

/**
 * Starts a server whose logins check proofs with jose, and whose other routes check them with
 * express-oauth2-jwt-bearer.
 */
const startOtherServer = async () => {
  const proofs: Proof[] = []
  const app = express()
  app.post('/jwt-auth/v1/token', async (req, res) => {
    const proof = await verifyProof(req.get('DPoP'))
    proofs.push(proof)
    if (proof.payload['nonce'] !== nonce) {
      res
        .status(401)
        .set({ 'DPoP-Nonce': nonce, 'WWW-Authenticate': 'DPoP error="use_dpop_nonce"' })
        .json({ code: 'jwt_auth_use_dpop_nonce' })
      return
    }
    const token = await new SignJWT({ cnf: { jkt: proof.thumbprint } })
      .setProtectedHeader({ alg: 'HS256' })
      .setIssuer(issuer)
      .setAudience(audience)
      .setExpirationTime('1h')
      .sign(new TextEncoder().encode(secret))
    res.json({
      token,
      token_type: 'DPoP',
      refresh_token: 'refresh',
      user_id: ada.id,
      user_email: ada.email,
      user_nicename: ada.nicename,
      user_display_name: ada.displayName,
    })
  })
  app.use(guard({ issuer, audience, secret, tokenSigningAlg: 'HS256', dpop: { enabled: true, required: true } }))
  app.all('/reports', (req, res) => {
    res.json(Object(req).auth.payload.cnf)
  })
  const server = app.listen(0, '127.0.0.1')
  onTestFinished(() => void server.close())
  await new Promise((resolve) => server.once('listening', resolve))
  // The server listens on a port.
  const { port } = server.address() as AddressInfo
  return { origin: `http://127.0.0.1:${port}`, proofs }
}

describe('proofs of the client', () => {
  const logIn = async () => {
    const server = await startOtherServer()
    const binding = dpop({ updateKeys: keepKeysInMemory().updateKeys })
    const auth = createAuthClient({ baseUrl: `${server.origin}/jwt-auth/v1`, dpop: binding })
    await auth.login({ username: 'ada', password })
    return { ...server, auth, thumbprint: binding.getThumbprint() }
  }

  it('of logins are accepted by jose, and follow a request for a nonce', async () => {
    const { origin, proofs, thumbprint } = await logIn()

    const claims = { htm: 'POST', htu: `${origin}/jwt-auth/v1/token` }
    expect(proofs.map(({ payload: { htm, htu, nonce } }) => ({ htm, htu, nonce }))).toEqual([
      { ...claims, nonce: undefined },
      { ...claims, nonce },
    ])
    expect(new Set(proofs.map(({ payload }) => payload.jti)).size).toBe(2)
    expect(new Set([thumbprint, ...proofs.map((proof) => proof.thumbprint)]).size).toBe(1)
  })

  it.each([
    ['GET', '/reports'],
    ['GET', '/reports?year=2030#may'],
    ['PUT', '/reports'],
  ])('of requests with a bound token are accepted by express-oauth2-jwt-bearer: %s %s', async (method, url) => {
    const { auth, thumbprint } = await logIn()

    const response = await auth.fetch(url, { method })

    expect([response.status, await response.json()]).toEqual([200, { jkt: thumbprint }])
  })
})
