import { AuthClientError, type AuthUser, createAuthClient } from '@jwt-auth/client'
import { dpop } from '@jwt-auth/client/dpop'
import { QueryClient, QueryClientProvider, useMutation, useQuery } from '@tanstack/react-query'
import { type ReactNode, useSyncExternalStore } from 'react'
import { createRoot } from 'react-dom/client'

const auth = createAuthClient({ baseUrl: `${location.origin}/jwt-auth/v1`, dpop: dpop() })

// The client has already repeated its refreshes when it rejects.
const retry = (failures: number, error: Error): boolean => !(error instanceof AuthClientError) && failures < 3
const queryClient = new QueryClient({ defaultOptions: { queries: { retry } } })
// The cached reports belong to the user who has logged out.
auth.subscribe(() => auth.getSnapshot().user || queryClient.clear())

const App = (): ReactNode => {
  const { status, user } = useSyncExternalStore(auth.subscribe, auth.getSnapshot)
  return status === 'loading' ? null : user ? <Account user={user} /> : <Login />
}

const Login = (): ReactNode => {
  const { mutate, error } = useMutation({ mutationFn: auth.login })
  return (
    <form action={(form) => mutate({ username: String(form.get('username')), password: String(form.get('password')) })}>
      <input aria-label="User name" name="username" autoComplete="username" required />
      <input aria-label="Password" name="password" type="password" autoComplete="current-password" required />
      <button type="submit">Log in</button>
      <p role="alert">{error?.message}</p>
    </form>
  )
}

const Account = ({ user }: { readonly user: AuthUser }): ReactNode => {
  const { data, error, refetch } = useQuery({
    queryKey: [user.id, 'reports', 'may'],
    queryFn: async ({ signal }): Promise<{ readonly title: string }> => {
      const response = await auth.fetch('/reports/may', { signal })
      if (!response.ok) throw new Error(`The report failed with ${response.status}.`)
      return response.json()
    },
    enabled: false,
  })
  return (
    <>
      <p>{user.displayName}</p>
      <button type="button" onClick={() => refetch()}>
        Show report
      </button>
      <button type="button" onClick={auth.logout}>
        Log out
      </button>
      <p>{error?.message ?? data?.title}</p>
    </>
  )
}

createRoot(document.body.appendChild(document.createElement('main'))).render(
  <QueryClientProvider client={queryClient}>
    <App />
  </QueryClientProvider>,
)
