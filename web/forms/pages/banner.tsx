import { useEffect, useRef } from 'preact/hooks'

type BannerProps = { role: 'status' | 'alert'; text: string; action?: { name: string; run(): void } | undefined }

/** A notice above the page. The focus goes back to where it was when the button that has it goes away. */
export function Banner({ role, text, action }: BannerProps) {
  const hadFocus = useRef(false)
  const before = useRef<EventTarget | null>(null)
  useEffect(
    () => () => {
      if (hadFocus.current) setTimeout(() => returnFocus(before.current))
    },
    [],
  )
  return (
    <p class="banner" role={role}>
      {text}{' '}
      {action && (
        <button
          type="button"
          class="link"
          onFocus={(event) => {
            hadFocus.current = true
            before.current = event.relatedTarget
          }}
          onClick={action.run}
        >
          {action.name}
        </button>
      )}
    </p>
  )
}

function returnFocus(before: EventTarget | null): void {
  if (document.activeElement !== document.body) return
  const isThere = before instanceof HTMLElement && before.isConnected
  const target = isThere ? before : document.querySelector('h1')
  target?.focus({ preventScroll: isThere })
}
