/** Section 4.8: what customers report of answers that they got. */
import { FEEDBACK_KINDS, report } from '../../platform/feedback.ts';
import { ApiError, badRequest } from '../../requests/errors.ts';
import { REQUEST_ID } from '../request.ts';
import { type Route, route } from '../route.ts';
import { boolean, object, oneOf, string } from '../schema.ts';
import { customersOf } from './keys.ts';

const feedback = route({
  method: 'POST',
  path: '/feedback',
  section: '4.8',
  ofService: true,
  auth: 'key',
  tier: 'anonymous',
  refusesBrowserKey: true,
  example: { requestId: '0f3b2a1c-7k', kind: 'wrong_value' },
  summary:
    'Reports that something is missing, or a value is wrong, in an answer, which its X-Request-ID names',
  params: {
    requestId: {
      in: 'body',
      kind: 'text',
      required: true,
      maxLength: 64,
      about: 'X-Request-ID of the answer',
    },
    kind: {
      in: 'body',
      kind: 'text',
      required: true,
      maxLength: 32,
      about: `What is wrong: ${FEEDBACK_KINDS.join(', ')}`,
    },
  },
  response: object({ recorded: boolean, requestId: string, kind: oneOf(FEEDBACK_KINDS) }),
  unavailable: true,
  cost: 1,
  bucket: '/feedback',
  handler: async ({ requestId, kind: sent }, { service, identity }) => {
    const { key } = identity;
    if (!key) throw new ApiError('unauthorized', 'This needs an API key of your own', { hint: 'X-Api-Key' });
    const kind = FEEDBACK_KINDS.find((one) => one === sent);
    if (!kind) throw badRequest(`kind is one of ${FEEDBACK_KINDS.join(', ')}`);
    if (!REQUEST_ID.test(requestId)) throw badRequest('requestId is not an X-Request-ID');
    const { store } = customersOf(service);
    const at = service.now();
    const recorded = await report(store!, { key: key.id, requestId, kind, at, wallet: key.wallet });
    if (!recorded) throw new ApiError('conflict', 'This key has reported too much already');
    return { recorded, requestId, kind };
  },
});

export const feedbackRoutes: Route[] = [feedback];
