import type { Texts } from '../en.ts'

const otherName = 'Revise «{field}»: no coincide con el nombre que nos facilitaron. Corríjalo si es incorrecto.'
const enter = 'Introduzca «{field}».'
const upload = 'Suba también «{field}».'

export const issues: Texts['issues'] = {
  DOCUMENT_MISSING_BACK: 'Suba también una imagen del reverso del documento de identidad.',
  DOCUMENT_MISSING_FRONT: 'Suba también una imagen del anverso del documento de identidad.',
  DOCUMENT_NUMBER_UNREADABLE: 'No pudimos leer el número del documento. Suba una imagen más nítida y sin reflejos.',
  DOC_QUALITY_POOR:
    'La imagen del documento no es lo bastante clara. Suba una imagen nítida en color con las cuatro esquinas.',
  NAME_UNREADABLE: 'No pudimos leer el nombre en el documento. Suba una imagen más nítida y sin reflejos.',
  NO_FACE_PORTRAIT: 'No pudimos ver la fotografía del documento. Suba una imagen de la cara con la fotografía.',
  MISSING_ID_DETAILS: 'Complete los datos del documento de identidad: tipo, número y país de expedición.',
  DOCUMENT_EXPIRED: 'El documento ha caducado. Suba uno en vigor.',
  NO_GOVERNMENT_ID: 'Suba un documento oficial con fotografía, como un pasaporte o un documento nacional de identidad.',
  DOCUMENT_NOT_FOUND: 'No encontramos ningún documento en el archivo. Suba una imagen del documento completo.',
  UNREADABLE_DOCUMENT: 'No pudimos leer el documento. Suba una imagen nítida en la que no haya nada tapado.',
  UNRECOGNIZED_DOCUMENT:
    'No reconocemos este tipo de documento. Suba un pasaporte o un documento nacional de identidad.',
  MISSING_DOCUMENT_NUMBER: 'Introduzca el número del documento.',
  MISSING_ISSUE_DATE: 'Introduzca la fecha de expedición del documento.',
  MISSING_EXPIRY_DATE: 'Introduzca la fecha de caducidad del documento.',
  DOCUMENT_FRONT_OR_BACK_MISSING: 'Falta una cara del documento. Suba imágenes del anverso y del reverso.',
  DOCUMENT_BACK_MISSING: 'Falta el reverso del documento. Suba una imagen.',
  ID_REQUIRES_ADDITIONAL_VERIFICATION:
    'Necesitamos otro documento. Revise la dirección y suba un justificante reciente.',
  DATABASE_CHECK_FAILED_ON_STREET_NAME: 'No pudimos confirmar la calle. Revise la calle y el número.',
  DATABASE_CHECK_FAILED_ON_CITY: 'No pudimos confirmar la ciudad. Revise su nombre y ortografía.',
  DATABASE_CHECK_FAILED_ON_SUBDIVISION:
    'No pudimos confirmar el estado, la región o la provincia. Compruebe que corresponde a la dirección.',
  DATABASE_CHECK_FAILED_ON_POSTAL_CODE:
    'No pudimos confirmar el código postal. Compruebe que corresponde a la dirección.',
  ADDRESS_TOO_SHORT: 'La dirección está incompleta. Introduzca la calle con número, la ciudad y el código postal.',
  ADDRESS_DOCUMENT_DOCUMENT_NOT_ISSUED_RECENTLY:
    'El justificante de domicilio es demasiado antiguo. Suba uno de los últimos 3 meses.',
  ADDRESS_DOCUMENT_MISSING_NAME:
    'El justificante de domicilio no muestra ningún nombre. Suba uno con el nombre completo.',
  ADDRESS_DOCUMENT_MISSING_ADDRESS:
    'El justificante de domicilio no muestra ninguna dirección. Suba uno con la dirección completa.',
  ADDRESS_DOCUMENT_UNRECOGNIZED_DOCUMENT:
    'No podemos aceptar este documento como justificante de domicilio. Suba una factura de suministros, un extracto bancario o una carta de un organismo público.',
  ADDRESS_DOCUMENT_NAME_VERIFICATION_FAILED:
    'El nombre del justificante de domicilio no coincide con el introducido. Corrija el que sea incorrecto.',
  ID_DATA_MISMATCH:
    'Algunos datos introducidos no coinciden con el documento de identidad. Introdúzcalos exactamente como figuran en él.',
  INVALID_PARAMETERS: 'Falta información o no es válida. Revise todos los campos y corrija lo que sea incorrecto.',
  INCORRECT_ID_TYPE: 'El tipo elegido no corresponde al documento. Elija el tipo correcto o suba otro documento.',
  ID_COUNTRY_MISMATCH: 'El país indicado no es el que expidió el documento. Revise el país.',
  GOVERNMENT_ID_VERIFICATION_FAILED:
    'No pudimos verificar el documento. Suba imágenes claras de él o de otro documento.',
  DATABASE_CHECK_FAILED_ON_NAME_FIRST:
    'No pudimos confirmar el nombre. Introdúzcalo exactamente como figura en el documento de identidad.',
  DATABASE_CHECK_FAILED_ON_NAME_LAST:
    'No pudimos confirmar los apellidos. Introdúzcalos exactamente como figuran en el documento de identidad.',
  DATABASE_CHECK_FAILED_ON_SOCIAL_SECURITY_NUMBER: 'No pudimos confirmar el número de la seguridad social. Revíselo.',
  INCONSISTENT_INFORMATION: 'Algunos campos se contradicen. Revise todos los campos y corrija lo que sea incorrecto.',
  INCONSISTENT_DETAILS: 'Algunos datos difieren entre los documentos. Revise los datos y los documentos.',
  VERIFICATION_ISSUE: 'No pudimos completar la verificación. Póngase en contacto con el servicio de atención.',
  API_ERROR:
    'Un problema técnico por nuestra parte retrasa la verificación. Si tarda mucho, póngase en contacto con el servicio de atención.',
  NAME_VERIFICATION_FAILED:
    'No pudimos confirmar el nombre. Introduzca el nombre legal completo exactamente como figura en el documento de identidad.',
  ID_TYPE_MISMATCH: 'El documento subido no es del tipo elegido. Elija el tipo del documento subido.',
  BIRTH_DATE_MISMATCH:
    'No pudimos confirmar la fecha de nacimiento. Introdúzcala exactamente como figura en el documento de identidad.',
  ID_NUMBER_NOT_VERIFIED: 'No pudimos confirmar el número del documento. Revíselo.',
  MISSING_NAME:
    'El nombre está incompleto. Introduzca el nombre legal completo exactamente como figura en el documento de identidad.',
  ID_NOT_ALLOWED: 'No podemos aceptar este documento. Suba otro, por ejemplo un pasaporte.',
  SCREEN_DETECTED: 'Haga una foto del documento mismo, no una captura ni una foto de una pantalla.',
  DATABASE_LOOKUP_ISSUE:
    'No pudimos consultar información que necesitamos. Si la verificación tarda mucho, póngase en contacto con el servicio de atención.',
  THIRD_PARTY_API_FAILED:
    'Un servicio del que dependemos no respondió. Si la verificación tarda mucho, póngase en contacto con el servicio de atención.',
  API_DATA_REQUIREMENTS_NOT_MET: 'Necesitamos más información. Complete los campos que siguen vacíos.',
  ID_WARNING: 'Estamos revisando el documento. Si tiene preguntas, póngase en contacto con el servicio de atención.',
  ADDITIONAL_WARNING:
    'Estamos revisando su solicitud. Si tiene preguntas, póngase en contacto con el servicio de atención.',
  WORKFLOW_CONFIG_ERROR:
    'Esta verificación no está configurada correctamente por nuestra parte. Póngase en contacto con el servicio de atención.',
}

export const issuesAbout: Texts['issuesAbout'] = {
  DOCUMENT_MISSING_BACK: upload,
  DOCUMENT_MISSING_FRONT: upload,
  MISSING_ID_DETAILS: enter,
  MISSING_DOCUMENT_NUMBER: enter,
  MISSING_ISSUE_DATE: enter,
  MISSING_EXPIRY_DATE: enter,
  ID_REQUIRES_ADDITIONAL_VERIFICATION:
    'Revise «{field}»: un apartado de correos no basta. Indique dónde vive o trabaja, o suba un justificante reciente de la dirección.',
  DATABASE_CHECK_FAILED_ON_POSTAL_CODE:
    'No pudimos confirmar «{field}». Compruebe que corresponde a la ciudad y al estado.',
  INVALID_PARAMETERS: 'Revise «{field}»: no es válido.',
  INCONSISTENT_INFORMATION: 'Revise «{field}»: hay datos que se contradicen.',
  INCONSISTENT_DETAILS: 'Revise «{field}»: no concuerda con las demás fechas.',
  BIRTH_DATE_MISMATCH:
    'No pudimos confirmar «{field}». Introdúzcalo exactamente como figura en el documento de identidad.',
  ID_NUMBER_NOT_VERIFIED: 'No pudimos confirmar «{field}». Revíselo.',
  MISSING_NAME: 'Introduzca «{field}» exactamente como figura en el documento de identidad.',
  API_DATA_REQUIREMENTS_NOT_MET: 'Facilite «{field}».',
}

export const exactIssues: Texts['exactIssues'] = {
  'API_DATA_REQUIREMENTS_NOT_MET associatedPersons':
    'Añada las personas que poseen o controlan la empresa, con sus participaciones.',
  'API_DATA_REQUIREMENTS_NOT_MET businessDocuments': 'Añada un documento de la empresa.',
  'INCONSISTENT_INFORMATION associatedPersons':
    'Revise las participaciones de los titulares: en total, como máximo el 100 %, todas en porcentaje o todas en fracciones de uno.',
  'INVALID_PARAMETERS phoneNumber':
    'Revise «{field}»: que sepamos, su país no tiene un número así. Si es correcto, déjelo como está.',
  'ID_DATA_MISMATCH legalFirstName': otherName,
  'ID_DATA_MISMATCH legalLastName': otherName,
  'ID_DATA_MISMATCH legalBusinessName': otherName,
}
