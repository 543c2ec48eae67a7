import type { User } from '../ports/user-directory.js'

/** A user with the password hash that is stored for them. */
export interface StoredUser extends User {
  /** In one of the forms that the hashers read; `null` for a user who has no password. */
  readonly passwordHash: string | null
  /**
   * The user name as it is stored. Given, it is compared once more: databases whose collation ignores accents (MySQL's do)
   * find `ann` for `änn`, and who has many names may be guessed at under each. @default not compared
   */
  readonly username?: string | undefined
}
