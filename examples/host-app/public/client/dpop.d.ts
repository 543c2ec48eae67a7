// The host app serves the built files of the package in this folder.
export * from '@jwt-auth/client/dpop'
