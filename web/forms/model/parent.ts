export const metaOf = (name: string, page = document) =>
  page.querySelector<HTMLMetaElement>(`meta[name="${name}"]`)?.content ?? ''

/** The origin of the page that shows this one in a frame; empty in a window of its own. */
export const parentOrigin = metaOf('form-parent')

/** A form whose end the page around learns. */
type Followed = { readonly isEnded: boolean; listen(listener: () => void): () => void }
type Tell = (message: Record<string, unknown>) => void

/** Tells the page around the frame how high the form is, and how it stands. Only that page's origin gets the messages. */
export function tellParent(form: Followed | undefined, statusOf = () => ''): void {
  if (!parentOrigin || window.parent === window) return
  const tell: Tell = (message) =>
    window.parent.postMessage({ source: 'svc-form', version: 1, ...message }, parentOrigin)
  tell({ type: 'ready' })
  const { body } = document
  new ResizeObserver(() => tell({ type: 'height', height: body.getBoundingClientRect().height })).observe(body)
  addEventListener('hashchange', () => tell({ type: 'page' }))
  if (form) tellStatus(form, statusOf, tell)
  else tell({ type: 'ended' })
}

function tellStatus(form: Followed, statusOf: () => string, tell: Tell): void {
  let told = ''
  const follow = () => {
    const status = statusOf()
    const now = form.isEnded ? 'ended' : status
    if (now === told) return
    told = now
    tell(form.isEnded ? { type: 'ended' } : { type: 'status', status })
  }
  follow()
  form.listen(follow)
}
