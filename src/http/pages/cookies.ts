import type { PageRequest } from './page.ts'

/** `isFramed`: for a page that another site shows in a frame. Browsers keep it apart for each of these sites. */
export type Cookie = { name: string; value: string; seconds: number; isFramed?: boolean }

export function readCookie(request: PageRequest, name: string): string | undefined {
  return request.cookies.get(cookieNameOf(request, name))
}

/** Writes a cookie that scripts cannot read. Over http it is limited to the path of the pages. */
export function writeCookie(request: PageRequest, { name, value, seconds, isFramed }: Cookie, base: string): string {
  const path = request.isSecure ? '/' : base || '/'
  // Without https a browser takes the cookie of a frame on its own machine alone.
  const sites = isFramed ? ['SameSite=None', 'Partitioned'] : ['SameSite=Lax']
  const flags = ['HttpOnly', ...sites, `Max-Age=${seconds}`, ...(request.isSecure || isFramed ? ['Secure'] : [])]
  return [`${cookieNameOf(request, name)}=${value}`, `Path=${path}`, ...flags].join('; ')
}

/** Browsers accept the prefix __Host- only from this very host, over https and for all paths: no other host can set it. */
function cookieNameOf({ isSecure }: PageRequest, name: string): string {
  return isSecure ? `__Host-${name}` : name
}
