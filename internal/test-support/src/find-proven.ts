import type { PasswordCheckOptions, User, UserDirectory } from '@jwt-auth/core'

/** Finds the user of a name and checks the password, as a login does; resolves to the user when it is right. */
export const findProven = async (
  users: UserDirectory,
  username: string,
  password: string,
  options: PasswordCheckOptions = {},
): Promise<User | undefined> => {
  const user = await users.findByUsername(username, options)
  return (await users.verifyPassword(user, password, options)) ? user : undefined
}
