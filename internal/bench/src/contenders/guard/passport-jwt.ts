import { Passport } from 'passport'
import { ExtractJwt, Strategy } from 'passport-jwt'
import { openExpress } from '../open-express.js'
import type { ServerContender } from '../server-contender.js'

export const contender: ServerContender = {
  title: 'passport-jwt',
  checks: 'token',
  open: async ({ secret, issuer, audience }) => {
    const passport = new Passport()
    const options = {
      secretOrKey: secret,
      jwtFromRequest: ExtractJwt.fromAuthHeaderAsBearerToken(),
      algorithms: ['HS256' as const],
      issuer,
      audience,
    }
    passport.use(new Strategy(options, (claims, done) => done(null, claims)))
    return { listener: openExpress(passport.authenticate('jwt', { session: false })) }
  },
}
