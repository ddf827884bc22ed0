import type { PageRequest } from './page.ts'

export type Cookie = { name: string; value: string; seconds: number }

export function readCookie(request: PageRequest, name: string): string | undefined {
  return request.cookies.get(cookieNameOf(request, name))
}

/** Writes a cookie that scripts cannot read. Over http it is limited to the path of the pages. */
export function writeCookie(request: PageRequest, { name, value, seconds }: Cookie, base: string): string {
  const path = request.isSecure ? '/' : base || '/'
  const flags = ['HttpOnly', 'SameSite=Lax', `Max-Age=${seconds}`, ...(request.isSecure ? ['Secure'] : [])]
  return [`${cookieNameOf(request, name)}=${value}`, `Path=${path}`, ...flags].join('; ')
}

/** Browsers accept the prefix __Host- only from this very host, over https and for all paths: no other host can set it. */
function cookieNameOf({ isSecure }: PageRequest, name: string): string {
  return isSecure ? `__Host-${name}` : name
}
