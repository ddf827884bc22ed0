/*! Shows a hosted form of Svc in a frame. See docs/embedding.md. */
;(() => {
  /**
   * @param {{ container: Element, link: string, lang?: string, title?: string, onMessage?: (message: object) => void }} wanted
   * onMessage gets { type: 'ready' }, { type: 'status', status }, { type: 'ended' }, { type: 'notice' } and { type: 'height', height }.
   */
  const open = ({ container, link, lang, title, onMessage }) => {
    const address = new URL(link)
    address.searchParams.set('parent', location.origin)
    if (lang) address.searchParams.set('lang', lang)

    const frame = document.createElement('iframe')
    frame.src = address.href
    frame.title = title || 'Form'
    frame.allow = 'camera; clipboard-write'
    frame.referrerPolicy = 'no-referrer'
    frame.style.cssText = 'display:block;width:100%;min-height:20rem;border:0;color-scheme:light dark'

    const listen = (event) => {
      // Only this form speaks here: neither another site, nor another frame of the same site.
      if (event.origin !== address.origin || event.source !== frame.contentWindow) return
      const message = event.data
      if (message === null || typeof message !== 'object' || message.source !== 'svc-form') return
      if (message.type === 'height' && message.height > 0) frame.style.height = `${Math.ceil(message.height)}px`
      if (message.type === 'page' && frame.getBoundingClientRect().top < 0) frame.scrollIntoView()
      if (onMessage) onMessage(message)
    }
    addEventListener('message', listen)
    container.append(frame)
    return {
      frame,
      close: () => {
        removeEventListener('message', listen)
        frame.remove()
      },
    }
  }
  window.SvcForms = { open }
})()
