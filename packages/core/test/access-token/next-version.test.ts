import { rejectionOf } from '@jwt-auth/test-support/outcome'
import { startOfTests } from '@jwt-auth/test-support/test-clock'
import { createTestService, testIssuer, testSecret } from '@jwt-auth/test-support/test-service'
import { describe, expect, it } from 'vitest'
import { createAccessTokenVerifier } from '../../src/access-token/verify-access-token.js'
import { createKeyRing } from '../../src/keys/key-ring.js'
import { readSecret } from '../../src/keys/read-secret.js'

// Tokens as a later minor version may issue them, while instances of this version still run. They
// are signed with the secret of the tests, expire in the year 9999, and never change: a version
// accepts a new form at least one minor version before another emits it.
const verify = createAccessTokenVerifier({
  keyRing: createKeyRing([readSecret('secret', testSecret, 'HS256')]),
  issuers: [testIssuer],
  audience: 'reports',
  clockToleranceSeconds: 0,
})

describe('an access token of the next minor version', () => {
  it.each([
    [
      'a member beside `data.user`',
      'eyJhbGciOiJIUzI1NiIsInR5cCI6ImF0K2p3dCIsImtpZCI6IlJyUnJWZnMxU1dSNjVPc3MifQ.eyJpc3MiOiJodHRwczovL2FwaS5leGFtcGxlLmNvbSIsInN1YiI6IjEiLCJpYXQiOjE3NjcyMjU2MDAsIm5iZiI6MTc2NzIyNTYwMCwiZXhwIjoyNTM0MDIzMDA3OTksImF1dGhfdGltZSI6MTc2NzIyNTYwMCwianRpIjoiQUFBQUFBQUFBQUFBQUFBQUFBQUFBQSIsInNpZCI6IkJCQkJCQkJCQkJCQkJCQkJCQkJCQkIiLCJkYXRhIjp7InVzZXIiOnsiaWQiOjF9LCJ0ZW5hbnQiOnsiaWQiOiJub3J0aCJ9fSwiYXVkIjoicmVwb3J0cyJ9.twzWVkAinQLoLFeOp9FqVKN3kfiuarNoHhvS7xRJ-kA',
    ],
    [
      'a member beside `data.user.id`',
      'eyJhbGciOiJIUzI1NiIsInR5cCI6ImF0K2p3dCIsImtpZCI6IlJyUnJWZnMxU1dSNjVPc3MifQ.eyJpc3MiOiJodHRwczovL2FwaS5leGFtcGxlLmNvbSIsInN1YiI6IjEiLCJpYXQiOjE3NjcyMjU2MDAsIm5iZiI6MTc2NzIyNTYwMCwiZXhwIjoyNTM0MDIzMDA3OTksImF1dGhfdGltZSI6MTc2NzIyNTYwMCwianRpIjoiQUFBQUFBQUFBQUFBQUFBQUFBQUFBQSIsInNpZCI6IkJCQkJCQkJCQkJCQkJCQkJCQkJCQkIiLCJkYXRhIjp7InVzZXIiOnsiaWQiOjEsInV1aWQiOiI1YzFkIn19LCJhdWQiOiJyZXBvcnRzIn0.OHKbI44IGQWgiYYpiTxz8EIF-bQsezLLUYLcynm41Eo',
    ],
    [
      'an unknown claim',
      'eyJhbGciOiJIUzI1NiIsInR5cCI6ImF0K2p3dCIsImtpZCI6IlJyUnJWZnMxU1dSNjVPc3MifQ.eyJpc3MiOiJodHRwczovL2FwaS5leGFtcGxlLmNvbSIsInN1YiI6IjEiLCJpYXQiOjE3NjcyMjU2MDAsIm5iZiI6MTc2NzIyNTYwMCwiZXhwIjoyNTM0MDIzMDA3OTksImF1dGhfdGltZSI6MTc2NzIyNTYwMCwianRpIjoiQUFBQUFBQUFBQUFBQUFBQUFBQUFBQSIsInNpZCI6IkJCQkJCQkJCQkJCQkJCQkJCQkJCQkIiLCJkYXRhIjp7InVzZXIiOnsiaWQiOjF9fSwiYXVkIjoicmVwb3J0cyIsInZlcnNpb24iOjIsInN1Yl9pZCI6eyJmb3JtYXQiOiJvcGFxdWUiLCJpZCI6IjEifSwiYXpwIjoic3BhIiwibWF5X2FjdCI6eyJzdWIiOiJ4In0sImV2ZW50cyI6e319.n4Smt7Qgh7fS4358srZgdPC5C0YxdrceNHyhXs_Lm4A',
    ],
    [
      'members beside `act.sub`',
      'eyJhbGciOiJIUzI1NiIsInR5cCI6ImF0K2p3dCIsImtpZCI6IlJyUnJWZnMxU1dSNjVPc3MifQ.eyJpc3MiOiJodHRwczovL2FwaS5leGFtcGxlLmNvbSIsInN1YiI6IjEiLCJpYXQiOjE3NjcyMjU2MDAsIm5iZiI6MTc2NzIyNTYwMCwiZXhwIjoyNTM0MDIzMDA3OTksImF1dGhfdGltZSI6MTc2NzIyNTYwMCwianRpIjoiQUFBQUFBQUFBQUFBQUFBQUFBQUFBQSIsInNpZCI6IkJCQkJCQkJCQkJCQkJCQkJCQkJCQkIiLCJkYXRhIjp7InVzZXIiOnsiaWQiOjF9fSwiYXVkIjoicmVwb3J0cyIsImFjdCI6eyJzdWIiOiJhZG1pbi03IiwiY2xpZW50X2lkIjoiZGVzayJ9fQ.z1dhu3DTEFs2LrrxMZ0aLyH6gZCAY66_mruirPeyvQQ',
    ],
    [
      'a list of audiences',
      'eyJhbGciOiJIUzI1NiIsInR5cCI6ImF0K2p3dCIsImtpZCI6IlJyUnJWZnMxU1dSNjVPc3MifQ.eyJpc3MiOiJodHRwczovL2FwaS5leGFtcGxlLmNvbSIsInN1YiI6IjEiLCJpYXQiOjE3NjcyMjU2MDAsIm5iZiI6MTc2NzIyNTYwMCwiZXhwIjoyNTM0MDIzMDA3OTksImF1dGhfdGltZSI6MTc2NzIyNTYwMCwianRpIjoiQUFBQUFBQUFBQUFBQUFBQUFBQUFBQSIsInNpZCI6IkJCQkJCQkJCQkJCQkJCQkJCQkJCQkIiLCJkYXRhIjp7InVzZXIiOnsiaWQiOjF9fSwiYXVkIjpbInJlcG9ydHMiLCJodHRwczovL2FwaS5leGFtcGxlLmNvbSJdfQ.DWRcEo3lpSDovsEjx1aDfMEdC7IM1VsotDdTIradkvI',
    ],
  ])('is accepted with %s', (_, token) => {
    expect(verify(token, startOfTests)).toMatchObject({ userId: 1, sessionId: 'BBBBBBBBBBBBBBBBBBBBBB' })
  })

  it.each([
    [
      'a further member of the header',
      'eyJhbGciOiJIUzI1NiIsInR5cCI6ImF0K2p3dCIsImtpZCI6IlJyUnJWZnMxU1dSNjVPc3MiLCJ2ZXIiOjJ9.eyJpc3MiOiJodHRwczovL2FwaS5leGFtcGxlLmNvbSIsInN1YiI6IjEiLCJpYXQiOjE3NjcyMjU2MDAsIm5iZiI6MTc2NzIyNTYwMCwiZXhwIjoyNTM0MDIzMDA3OTksImF1dGhfdGltZSI6MTc2NzIyNTYwMCwianRpIjoiQUFBQUFBQUFBQUFBQUFBQUFBQUFBQSIsInNpZCI6IkJCQkJCQkJCQkJCQkJCQkJCQkJCQkIiLCJkYXRhIjp7InVzZXIiOnsiaWQiOjF9fSwiYXVkIjoicmVwb3J0cyJ9.KF61TBq9IB-GU-ODDv8PWhFrltNved0-snp4X_kxT9c',
    ],
    [
      'another type of token',
      'eyJhbGciOiJIUzI1NiIsInR5cCI6ImF0Mitqd3QiLCJraWQiOiJSclJyVmZzMVNXUjY1T3NzIn0.eyJpc3MiOiJodHRwczovL2FwaS5leGFtcGxlLmNvbSIsInN1YiI6IjEiLCJpYXQiOjE3NjcyMjU2MDAsIm5iZiI6MTc2NzIyNTYwMCwiZXhwIjoyNTM0MDIzMDA3OTksImF1dGhfdGltZSI6MTc2NzIyNTYwMCwianRpIjoiQUFBQUFBQUFBQUFBQUFBQUFBQUFBQSIsInNpZCI6IkJCQkJCQkJCQkJCQkJCQkJCQkJCQkIiLCJkYXRhIjp7InVzZXIiOnsiaWQiOjF9fSwiYXVkIjoicmVwb3J0cyJ9.cplnKLCdqwW8_RkqfwqvptWNzxL_i5FDaCGqn7mYy0A',
    ],
    [
      'a proof of another kind of key',
      'eyJhbGciOiJIUzI1NiIsInR5cCI6ImF0K2p3dCIsImtpZCI6IlJyUnJWZnMxU1dSNjVPc3MifQ.eyJpc3MiOiJodHRwczovL2FwaS5leGFtcGxlLmNvbSIsInN1YiI6IjEiLCJpYXQiOjE3NjcyMjU2MDAsIm5iZiI6MTc2NzIyNTYwMCwiZXhwIjoyNTM0MDIzMDA3OTksImF1dGhfdGltZSI6MTc2NzIyNTYwMCwianRpIjoiQUFBQUFBQUFBQUFBQUFBQUFBQUFBQSIsInNpZCI6IkJCQkJCQkJCQkJCQkJCQkJCQkJCQkIiLCJkYXRhIjp7InVzZXIiOnsiaWQiOjF9fSwiYXVkIjoicmVwb3J0cyIsImNuZiI6eyJ4NXQjUzI1NiI6IkFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUEifX0.oSP7zVESuDZqTaDdirxt6kgHRvEszbK9sEPcyobLenY',
    ],
    [
      'a further member of `cnf`',
      'eyJhbGciOiJIUzI1NiIsInR5cCI6ImF0K2p3dCIsImtpZCI6IlJyUnJWZnMxU1dSNjVPc3MifQ.eyJpc3MiOiJodHRwczovL2FwaS5leGFtcGxlLmNvbSIsInN1YiI6IjEiLCJpYXQiOjE3NjcyMjU2MDAsIm5iZiI6MTc2NzIyNTYwMCwiZXhwIjoyNTM0MDIzMDA3OTksImF1dGhfdGltZSI6MTc2NzIyNTYwMCwianRpIjoiQUFBQUFBQUFBQUFBQUFBQUFBQUFBQSIsInNpZCI6IkJCQkJCQkJCQkJCQkJCQkJCQkJCQkIiLCJkYXRhIjp7InVzZXIiOnsiaWQiOjF9fSwiYXVkIjoicmVwb3J0cyIsImNuZiI6eyJqa3QiOiJBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBIiwidmVyIjoyfX0.I9FHFvwpXGkOxkj-Cqes5lySP3DkTcHwDOBrVD7Eis8',
    ],
    [
      'a list of audiences without this one',
      'eyJhbGciOiJIUzI1NiIsInR5cCI6ImF0K2p3dCIsImtpZCI6IlJyUnJWZnMxU1dSNjVPc3MifQ.eyJpc3MiOiJodHRwczovL2FwaS5leGFtcGxlLmNvbSIsInN1YiI6IjEiLCJpYXQiOjE3NjcyMjU2MDAsIm5iZiI6MTc2NzIyNTYwMCwiZXhwIjoyNTM0MDIzMDA3OTksImF1dGhfdGltZSI6MTc2NzIyNTYwMCwianRpIjoiQUFBQUFBQUFBQUFBQUFBQUFBQUFBQSIsInNpZCI6IkJCQkJCQkJCQkJCQkJCQkJCQkJCQkIiLCJkYXRhIjp7InVzZXIiOnsiaWQiOjF9fSwiYXVkIjpbInBob3RvcyJdfQ.fnjSEBzfHujwoQv9VWLsp2Nm3BE-PiVnV3S9HIO2M70',
    ],
    [
      'another form of `amr`',
      'eyJhbGciOiJIUzI1NiIsInR5cCI6ImF0K2p3dCIsImtpZCI6IlJyUnJWZnMxU1dSNjVPc3MifQ.eyJpc3MiOiJodHRwczovL2FwaS5leGFtcGxlLmNvbSIsInN1YiI6IjEiLCJpYXQiOjE3NjcyMjU2MDAsIm5iZiI6MTc2NzIyNTYwMCwiZXhwIjoyNTM0MDIzMDA3OTksImF1dGhfdGltZSI6MTc2NzIyNTYwMCwianRpIjoiQUFBQUFBQUFBQUFBQUFBQUFBQUFBQSIsInNpZCI6IkJCQkJCQkJCQkJCQkJCQkJCQkJCQkIiLCJkYXRhIjp7InVzZXIiOnsiaWQiOjF9fSwiYXVkIjoicmVwb3J0cyIsImFtciI6eyJvdHAiOjF9fQ.okw3zyYVcScio8AMN-Jyvfi7Rwu3GyY510grNokWkrQ',
    ],
  ])('is refused with %s', (_, token) => {
    expect(() => verify(token, startOfTests)).toThrow(expect.objectContaining({ code: 'jwt_auth_invalid_token' }))
  })
})

describe('a refresh token of another format', () => {
  it('is refused as invalid, and ends no session', async () => {
    const { service, login } = createTestService()
    const { refreshToken } = await login()
    const later = refreshToken.replace('jwtauth_rt_', 'jwtauth_rt2_')
    expect(await rejectionOf(service.refresh(later))).toMatchObject({ code: 'jwt_auth_invalid_refresh_token' })
    expect(await service.sessions.list(1)).toHaveLength(1)
  })
})
