import { useEffect, useRef, useState } from 'preact/hooks'
import { api } from '../model/api.ts'
import { parentOrigin } from '../model/parent.ts'
import { texts } from '../texts/words.ts'

/** Where a page around the form may keep the camera away, every device gets the offer. */
const audience = parentOrigin ? '' : ' only-mouse'

type Policy = { allowsFeature(feature: string): boolean }

/** Tells whether the page around keeps the camera away, in browsers that know. */
function isCameraBlocked(): boolean {
  const { featurePolicy } = document as { featurePolicy?: Policy }
  return parentOrigin !== '' && featurePolicy?.allowsFeature('camera') === false
}

/**
 * Offers to continue on the phone: a QR code with the address of the form, drawn in the browser. Where the camera is kept
 * away, it is there at once.
 */
export function PhoneOffer() {
  const [code, setCode] = useState<string>()
  const [address, setAddress] = useState('')
  const [hasFailed, setFailed] = useState(false)
  const button = useRef<HTMLButtonElement>(null)
  const isPressed = useRef(false)
  // The button that was pressed goes away: the other one takes the focus.
  useEffect(() => {
    if (isPressed.current) button.current?.focus()
  }, [code])
  const show = async () => {
    setFailed(false)
    try {
      const [{ link }, { renderSVG }] = await Promise.all([api.readLink(), import('uqr')])
      setAddress(link)
      setCode(`data:image/svg+xml,${encodeURIComponent(renderSVG(link, { border: 4 }))}`)
    } catch {
      setFailed(true)
    }
  }
  useEffect(() => {
    if (isCameraBlocked()) void show()
  }, [])
  const press = (act: () => void) => () => {
    isPressed.current = true
    act()
  }
  if (!code) {
    return (
      <div class={`phone-offer${audience}`}>
        <button type="button" class="link" ref={button} onClick={press(() => void show())}>
          {texts.phone.offer}
        </button>
        <p role="status">{hasFailed && texts.loadFailedHint}</p>
      </div>
    )
  }
  return (
    <section class={`qr${audience}`} aria-labelledby="qr-title">
      <img src={code} alt={texts.phone.alt} width={180} height={180} />
      <div>
        <h2 id="qr-title">{texts.phone.title}</h2>
        <p>{texts.phone.text}</p>
        <p class="quiet">{texts.phone.private}</p>
        {parentOrigin && (
          <p>
            <a href={address} target="_blank" rel="noopener noreferrer">
              {texts.phone.window}
            </a>
          </p>
        )}
        <button type="button" class="link" ref={button} onClick={press(() => setCode(undefined))}>
          {texts.close}
        </button>
      </div>
    </section>
  )
}
