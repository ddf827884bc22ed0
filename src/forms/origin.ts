type Headers = { origin?: string | undefined; 'sec-fetch-site'?: string | string[] | undefined }

/**
 * Tells whether a page of ours sent a request that changes something. Browsers say where a request comes from; one that
 * says neither is no browser of our pages.
 */
export function isFromOurPage(headers: Headers, origins: readonly string[]): boolean {
  const { origin, 'sec-fetch-site': site } = headers
  if (site !== undefined && site !== 'same-origin') return false
  if (origin !== undefined) return origins.includes(origin)
  return site === 'same-origin'
}
