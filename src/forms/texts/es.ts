import type { Texts } from './en.ts'

export const es: Texts = {
  title: 'Verificación',
  languages: 'Idioma',
  loading: 'Cargando su formulario…',
  loadFailed: 'No se pudo cargar el formulario. Compruebe su conexión y recargue esta página.',
  noScript: [
    'JavaScript está desactivado',
    'Este formulario necesita JavaScript. Actívelo en su navegador y abra de nuevo su enlace.',
  ],
  sessionEnded: [
    'Abra de nuevo su enlace',
    'Por su seguridad, este formulario se cierra a los 30 minutos. Sus respuestas están guardadas: abra el enlace que recibió y continúe.',
  ],
  tooMany: [
    'Espere un momento',
    'Ha habido demasiadas solicitudes desde su red. Inténtelo de nuevo dentro de un minuto.',
  ],
  unavailable: ['El formulario no está disponible', 'Inténtelo de nuevo dentro de unos minutos.'],
  notBuilt: [
    'El formulario no está disponible',
    'Inténtelo de nuevo dentro de unos minutos. El operador debe crear antes las páginas.',
  ],
  badLink: [
    'Este enlace no funciona',
    'Puede estar incompleto o haber sido sustituido por otro más reciente. Pida un enlace nuevo a la empresa que se lo envió.',
  ],
  notHere: [
    'Este formulario no se puede mostrar aquí',
    'La empresa que le envió el enlace no conoce la página que lo contiene. Abra el enlace en una ventana propia.',
  ],
  noCookies: [
    'Abra esta página en su propia ventana',
    'Su navegador no guarda cookies de una página incluida en otra, y sin ellas no se puede mostrar aquí de forma segura.',
  ],
  openWindow: 'Abrir en una ventana nueva',
  help: 'Ayuda',
  noFile: ['El archivo no existe', 'Este archivo no existe.'],
  bank: {
    title: 'Cuenta bancaria',
    sessionEnded: [
      'Abra de nuevo su enlace',
      'Por su seguridad, este formulario se cierra a los 30 minutos. Abra el enlace que recibió y continúe.',
    ],
  },
}
