import type { PasswordCheckOptions, User, UserDirectory } from '@jwt-auth/core'

/** Finds the user with a given name and checks the password, as a login does. Resolves to the user when the password is right. */
export const findProven = async (
  users: UserDirectory,
  username: string,
  password: string,
  options: PasswordCheckOptions = {},
): Promise<User | undefined> => {
  const user = await users.findByUsername(username, options)
  return (await users.verifyPassword(user, password, options)) ? user : undefined
}
